"""Certificates for servers on loopback, by an authority made anew for each run."""

import ipaddress
import ssl
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

NOW = datetime.now(UTC)
YEAR = timedelta(days=365)


@dataclass(frozen=True)
class Made:
    """A certificate with its key, as objects and as one PEM file."""

    certificate: x509.Certificate
    key: ec.EllipticCurvePrivateKey
    file: Path

    def context(self) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.file)
        return context


class Authority:
    """Signs what it is asked to; `file` is what those who believe it load."""

    def __init__(self, folder: Path, name: str = "Tests") -> None:
        self._folder = folder
        self._name = name
        self._count = 0
        self._own = self._made([], signer=None, is_authority=True)
        self.file = folder / f"{name}-ca.pem"
        pem = self._own.certificate.public_bytes(serialization.Encoding.PEM)
        self.file.write_bytes(pem)

    def made(self, *hosts: str, days: tuple[int, int] = (-1, 30), common_name: str = "") -> Made:
        """A certificate for names and addresses, valid from and until so many days from now."""
        return self._made(hosts, signer=self._own, days=days, common_name=common_name)

    def self_signed(self, *hosts: str) -> Made:
        return self._made(hosts, signer=None)

    def _made(
        self,
        hosts: Sequence[str],
        *,
        signer: Made | None,
        is_authority: bool = False,
        days: tuple[int, int] = (-1, 30),
        common_name: str = "",
    ) -> Made:
        self._count += 1
        key = ec.generate_private_key(ec.SECP256R1())
        own = _name(common_name or f"{self._name} {self._count}")
        builder = (
            x509.CertificateBuilder()
            .subject_name(own)
            .issuer_name(signer.certificate.subject if signer else own)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(NOW + timedelta(days=days[0]))
            .not_valid_after(NOW + timedelta(days=days[1]))
            .add_extension(x509.BasicConstraints(is_authority, None), critical=True)
        )
        if hosts:
            names = [_general(host) for host in hosts]
            builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
        certificate = builder.sign(signer.key if signer else key, hashes.SHA256())
        return Made(certificate, key, self._write(certificate, key))

    def _write(self, certificate: x509.Certificate, key: ec.EllipticCurvePrivateKey) -> Path:
        file = self._folder / f"{self._name}-{self._count}.pem"
        file.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
            + certificate.public_bytes(serialization.Encoding.PEM)
        )
        return file


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _general(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)
