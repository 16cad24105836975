/**
 * Certificates for the name `push.example` that only their own files vouch for, valid for 100 years. They are written here
 * because not every machine has openssl: `openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes
 * -days 36500 -subj /CN=push.example -addext subjectAltName=DNS:push.example`. The key protects nothing.
 */
export const SELF_SIGNED = {
  name: "push.example",
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgLlkh8YAPlKuwkanw
a0+Gpgst9XvmeRhHwT3E7dHg82OhRANCAAQdkFzytiYj0n3Hyz+WlreSaqWWvjFS
RaEiRv8zA71yvPZPASdiYa89JwVAqIEzXAfwgLL3QDDMGyFN7eSMqmp2
-----END PRIVATE KEY-----
`,
  certificate: `-----BEGIN CERTIFICATE-----
MIIBnjCCAUSgAwIBAgIUFmhGu+0w4iX+QcMjkZwKCFMlcEwwCgYIKoZIzj0EAwIw
FzEVMBMGA1UEAwwMcHVzaC5leGFtcGxlMCAXDTI2MTEyODE3NDMxNloYDzIxMjYx
MTA0MTc0MzE2WjAXMRUwEwYDVQQDDAxwdXNoLmV4YW1wbGUwWTATBgcqhkjOPQIB
BggqhkjOPQMBBwNCAAQdkFzytiYj0n3Hyz+WlreSaqWWvjFSRaEiRv8zA71yvPZP
ASdiYa89JwVAqIEzXAfwgLL3QDDMGyFN7eSMqmp2o2wwajAdBgNVHQ4EFgQUtlFr
GUZ1uYGWiRrkSV6zUVPm+SIwHwYDVR0jBBgwFoAUtlFrGUZ1uYGWiRrkSV6zUVPm
+SIwDwYDVR0TAQH/BAUwAwEB/zAXBgNVHREEEDAOggxwdXNoLmV4YW1wbGUwCgYI
KoZIzj0EAwIDSAAwRQIgB/stGvOlGZdXKyoYeLE0SmRai47yGw9sgSoqsRtFQvcC
IQDKrRAqwNo0/8QpsYVbL2+nWMau3k/Pf1HJ2Z7ly0dndA==
-----END CERTIFICATE-----
`,
};

/** Another certificate for the same name. */
export const OTHER_CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBnjCCAUSgAwIBAgIUKBQkS4Zn1vCl82mZ/8DghJ8wcYowCgYIKoZIzj0EAwIw
FzEVMBMGA1UEAwwMcHVzaC5leGFtcGxlMCAXDTI2MTEyODE3NDMxNloYDzIxMjYx
MTA0MTc0MzE2WjAXMRUwEwYDVQQDDAxwdXNoLmV4YW1wbGUwWTATBgcqhkjOPQIB
BggqhkjOPQMBBwNCAARPlGNmJH8W7zOd30EeRdpMnV5S4DLjQuICe/1zyOYZpsm8
eUcmrSxgsbzHB0OibGHcTEAeBb+EDUA0/dKZCTBDo2wwajAdBgNVHQ4EFgQUUDnG
3X/W7dwL3RUpSyiQ+SSkyAAwHwYDVR0jBBgwFoAUUDnG3X/W7dwL3RUpSyiQ+SSk
yAAwDwYDVR0TAQH/BAUwAwEB/zAXBgNVHREEEDAOggxwdXNoLmV4YW1wbGUwCgYI
KoZIzj0EAwIDSAAwRQIhAPuyqA3q0wpX7LE9EQk21TrKVlqaY4pILw8mQjJOSOUE
AiBPPJEeE2Ts6j83snDHZGfkR1F16MHmBbM5Mrrk6xDJcQ==
-----END CERTIFICATE-----
`;
