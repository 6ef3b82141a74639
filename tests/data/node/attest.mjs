// Signs a verifier's statement with Node alone: node attest.mjs PRIVATE.pem < statement.json
// Prints the attestation to send along with the evidence.
import { createHash, createPrivateKey, createPublicKey, sign } from "node:crypto";
import { readFileSync } from "node:fs";

const privateKey = createPrivateKey(readFileSync(process.argv[2]));
const der = createPublicKey(privateKey).export({ type: "spki", format: "der" });
const statement = readFileSync(0);
const signature = sign("sha256", statement, { key: privateKey, dsaEncoding: "ieee-p1363" });

console.log(
  JSON.stringify({
    key: createHash("sha256").update(der).digest("hex"),
    statement: statement.toString("base64url"),
    signature: signature.toString("base64url"),
  }),
);
