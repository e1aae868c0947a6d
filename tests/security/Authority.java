package tests.security;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.cert.CertIOException;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/** A certificate authority that lives as long as a test: what it signs is good for localhost, by that name only. */
final class Authority {

    private static final SecureRandom RANDOM = new SecureRandom();

    private final KeyPair keys;
    private final X509Certificate certificate;

    /** @param name what its certificate calls it */
    Authority(String name) {
        try {
            keys = keys();
            certificate = sign("CN=" + name, keys.getPublic(), "CN=" + name, true);
        } catch (GeneralSecurityException | OperatorException | IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Somebody's key, and the certificate that says whose it is. */
    record Signed(PrivateKey key, X509Certificate certificate, X509Certificate authority) {

        /** Key and certificate as PKCS12. */
        Path store(Path file, String password) throws IOException, GeneralSecurityException {
            var store = emptyStore();
            store.setKeyEntry("key", key, password.toCharArray(), new Certificate[] {certificate, authority});
            return write(store, file, password);
        }

        /** Key and certificate in one PEM file, as Kafka's clients want them. */
        Path pem(Path file) throws IOException, GeneralSecurityException {
            return Files.writeString(file, keyPem() + Authority.pem("CERTIFICATE", certificate.getEncoded()));
        }

        String keyPem() {
            return Authority.pem("PRIVATE KEY", key.getEncoded());
        }

        String certificatePem() throws GeneralSecurityException {
            return Authority.pem("CERTIFICATE", certificate.getEncoded());
        }
    }

    Signed sign(String commonName) {
        try {
            var pair = keys();
            return new Signed(
                    pair.getPrivate(),
                    sign(
                            "CN=" + commonName,
                            pair.getPublic(),
                            certificate.getSubjectX500Principal().getName(),
                            false),
                    certificate);
        } catch (GeneralSecurityException | OperatorException | IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Trust in this authority, as PKCS12. */
    Path trustStore(Path file, String password) throws IOException, GeneralSecurityException {
        var store = emptyStore();
        store.setCertificateEntry("authority", certificate);
        return write(store, file, password);
    }

    /** Trust in this authority, as PEM. */
    Path trustPem(Path file) throws IOException, GeneralSecurityException {
        return Files.writeString(file, pem("CERTIFICATE", certificate.getEncoded()));
    }

    private X509Certificate sign(String subject, PublicKey key, String issuer, boolean authority)
            throws OperatorException, CertIOException, GeneralSecurityException {
        var now = Instant.now();
        var builder = new JcaX509v3CertificateBuilder(
                        new X500Name(issuer),
                        new BigInteger(64, RANDOM),
                        Date.from(now.minus(Duration.ofHours(1))),
                        Date.from(now.plus(Duration.ofDays(1))),
                        new X500Name(subject),
                        key)
                .addExtension(Extension.basicConstraints, true, new BasicConstraints(authority));
        if (!authority) {
            builder.addExtension(
                    Extension.subjectAlternativeName,
                    false,
                    new GeneralNames(new GeneralName(GeneralName.dNSName, "localhost")));
        }
        var signer = new JcaContentSignerBuilder("SHA256withECDSA").build(keys.getPrivate());
        return new JcaX509CertificateConverter().getCertificate(builder.build(signer));
    }

    private static KeyPair keys() throws GeneralSecurityException {
        var generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp256r1"));
        return generator.generateKeyPair();
    }

    private static KeyStore emptyStore() throws IOException, GeneralSecurityException {
        var store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        return store;
    }

    private static Path write(KeyStore store, Path file, String password) throws IOException, GeneralSecurityException {
        try (var out = Files.newOutputStream(file)) {
            store.store(out, password.toCharArray());
        }
        return file;
    }

    private static String pem(String type, byte[] content) {
        return "-----BEGIN " + type + "-----\n"
                + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content)
                + "\n-----END " + type + "-----\n";
    }
}
