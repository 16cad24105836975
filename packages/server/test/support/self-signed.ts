import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { temporaryFolder } from "./config.ts";

/** Makes a certificate for a name that only its own file vouches for, with OpenSSL. */
export async function selfSigned(name: string): Promise<{ key: string; certificate: string }> {
  const folder = temporaryFolder();
  const [key, certificate] = [join(folder, "key.pem"), join(folder, "certificate.pem")];
  const made = Bun.spawnSync(
    [
      ...["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"],
      ...["-keyout", key, "-out", certificate, "-days", "2", "-subj", `/CN=${name}`],
      ...["-addext", `subjectAltName=DNS:${name}`],
    ],
    { stderr: "pipe" },
  );
  if (!made.success) throw new Error(made.stderr.toString());
  return { key: await readFile(key, "utf8"), certificate: await readFile(certificate, "utf8") };
}
