"""The verifier's own Ed25519 against RFC 8032, `cryptography` and PyNaCl."""

from __future__ import annotations

from random import Random

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from nacl.exceptions import BadSignatureError
from nacl.signing import SigningKey, VerifyKey

from clients.verify import tonk_witness
from clients.verify.tonk_verify import ed25519_verify

ORDER = 2**252 + 27742317777372353535851937790883648493
FIELD = 2**255 - 19
# RFC 8032 section 7.1: secret key, public key, message, signature.
RFC = [
    (
        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
    ),
    (
        "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
    ),
    (
        "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
    ),
    (
        "833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42",
        "ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf",
        "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
        "dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b58909351fc9ac90b3ecfdfbc7c66431e0303dca179c138ac17ad9bef1177331a704",
    ),
]
# Points of order 1, 2, 4 and 8 in their encodings.
SMALL = [
    "0100000000000000000000000000000000000000000000000000000000000000",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0000000000000000000000000000000000000000000000000000000000000080",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
]


def by_cryptography(public: bytes, message: bytes, signature: bytes) -> bool:
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
    except InvalidSignature:
        return False
    return True


def by_nacl(public: bytes, message: bytes, signature: bytes) -> bool:
    try:
        VerifyKey(public).verify(message, signature)
    except BadSignatureError:
        return False
    return True


@pytest.mark.parametrize(("secret", "public", "message", "signature"), RFC)
def test_vectors_of_the_rfc(secret: str, public: str, message: str, signature: str) -> None:
    text, signed = bytes.fromhex(message), bytes.fromhex(signature)
    assert ed25519_verify(bytes.fromhex(public), text, signed)
    assert not ed25519_verify(bytes.fromhex(public), text + b"\x00", signed)
    signer = tonk_witness.Signer(bytes.fromhex(secret))
    assert signer.public.hex() == public
    assert signer.sign(text) == signed


def test_three_agree_on_right_and_wrong_signatures() -> None:
    numbers = Random(8032)
    for _ in range(60):
        seed, message = numbers.randbytes(32), numbers.randbytes(numbers.randrange(80))
        signer = tonk_witness.Signer(seed)
        signature = signer.sign(message)
        assert signature == Ed25519PrivateKey.from_private_bytes(seed).sign(message)
        assert signature == SigningKey(seed).sign(message).signature
        wrong = bytearray(signature)
        wrong[numbers.randrange(64)] ^= 1 << numbers.randrange(8)
        for tried in (signature, bytes(wrong)):
            ours = ed25519_verify(signer.public, message, tried)
            assert ours == by_cryptography(signer.public, message, tried)
            assert ours == by_nacl(signer.public, message, tried)
        other = numbers.randbytes(32)  # half of all texts are no point
        assert not ed25519_verify(other, message, signature)


def test_a_scalar_above_the_order_is_refused() -> None:
    signer = tonk_witness.Signer(b"\x42" * 32)
    signature = signer.sign(b"note")
    scalar = int.from_bytes(signature[32:], "little")
    for times in range(1, 16):
        above = scalar + times * ORDER
        if above < 2**256:
            tried = signature[:32] + above.to_bytes(32, "little")
            assert not ed25519_verify(signer.public, b"note", tried)


@pytest.mark.parametrize("point", SMALL)
def test_keys_of_small_order_sign_nothing(point: str) -> None:
    """With such a key, R = S = 0-like signatures would hold for many messages."""
    public = bytes.fromhex(point)
    for first in SMALL:
        assert not ed25519_verify(public, b"note", bytes.fromhex(first) + bytes(32))
        assert not by_nacl(public, b"note", bytes.fromhex(first) + bytes(32))


def test_texts_that_are_no_point_are_refused() -> None:
    signer = tonk_witness.Signer(b"\x42" * 32)
    signature = signer.sign(b"note")
    for y in (FIELD, FIELD + 1, 2**255 - 1):  # not below the field's prime
        for sign in (0, 1 << 255):
            assert not ed25519_verify((y | sign).to_bytes(32, "little"), b"note", signature)
    assert not ed25519_verify((1 | 1 << 255).to_bytes(32, "little"), b"note", signature)  # x = -0
    assert not ed25519_verify(signer.public, b"note", signature[:-1])
    assert not ed25519_verify(signer.public[:-1], b"note", signature)
