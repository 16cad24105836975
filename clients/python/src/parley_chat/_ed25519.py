"""Verifies signatures of Ed25519 (RFC 8032), which Python's standard library cannot.

It holds no secrets, so it needs no protection against being timed.
"""

from __future__ import annotations

from hashlib import sha512

_P = 2**255 - 19
_ORDER = 2**252 + 27742317777372353535851937790883648493
_D = -121665 * pow(121666, -1, _P) % _P
_ROOT_OF_MINUS_1 = pow(2, (_P - 1) // 4, _P)

#: A point as (x, y, z, t) with the affine x/z and y/z, and x*y = z*t.
_Point = tuple[int, int, int, int]


def is_signed(public_key: bytes, message: bytes, signature: bytes) -> bool:
    """Says whether the key has signed the message."""
    key = _point(public_key)
    scalar = int.from_bytes(signature[32:], "little")
    if key is None or len(signature) != 64 or scalar >= _ORDER:
        return False
    challenge = int.from_bytes(sha512(signature[:32] + public_key + message).digest(), "little") % _ORDER
    x, y, z, t = key
    sum_ = _sum(_multiple(scalar, _BASE), _multiple(challenge, (-x % _P, y, z, -t % _P)))
    return _bytes_of(sum_) == signature[:32]


def _sum(first: _Point, second: _Point) -> _Point:
    x1, y1, z1, t1 = first
    x2, y2, z2, t2 = second
    a = (y1 - x1) * (y2 - x2) % _P
    b = (y1 + x1) * (y2 + x2) % _P
    c = 2 * t1 * t2 * _D % _P
    d = 2 * z1 * z2 % _P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % _P, g * h % _P, f * g % _P, e * h % _P


def _multiple(factor: int, point: _Point) -> _Point:
    result: _Point = (0, 1, 1, 0)
    while factor > 0:
        if factor & 1:
            result = _sum(result, point)
        point = _sum(point, point)
        factor >>= 1
    return result


def _point(encoded: bytes) -> _Point | None:
    """Returns the point; None if there is none of that encoding."""
    if len(encoded) != 32:
        return None
    number = int.from_bytes(encoded, "little")
    y, is_odd = number & (2**255 - 1), number >> 255
    if y >= _P:
        return None
    square = (y * y - 1) * pow(_D * y * y + 1, -1, _P) % _P
    x = pow(square, (_P + 3) // 8, _P)
    if x * x % _P != square:
        x = x * _ROOT_OF_MINUS_1 % _P
    if x * x % _P != square or (x == 0 and is_odd):
        return None
    if x & 1 != is_odd:
        x = _P - x
    return x, y, 1, x * y % _P


def _bytes_of(point: _Point) -> bytes:
    x, y, z, _ = point
    inverse = pow(z, -1, _P)
    return ((y * inverse % _P) | ((x * inverse % _P & 1) << 255)).to_bytes(32, "little")


def _base() -> _Point:
    found = _point((4 * pow(5, -1, _P) % _P).to_bytes(32, "little"))
    assert found is not None
    return found


_BASE = _base()
