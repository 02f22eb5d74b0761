"""The books beside their peers: `books` measures, `jobs` is what runs in processes of its own."""
