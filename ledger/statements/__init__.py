"""A player's statement as a file: CSV for a program, PDF for a drawer.

Nothing in it depends on when it is made: the same lines give the same bytes.
"""

from ledger.statements.comma import as_csv
from ledger.statements.folder import LINES_MAX, PDF_LINES_MAX, Folder, folder_of
from ledger.statements.pdf import as_pdf

__all__ = ["LINES_MAX", "PDF_LINES_MAX", "Folder", "as_csv", "as_pdf", "folder_of"]
