import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { X509Certificate } from 'node:crypto'

const run = promisify(execFile)

export interface SigningKey {
  /** Paths of PEM files. */
  readonly key: string
  readonly certificate: string
  readonly fingerprint: string
}

/** Makes a key and a certificate with openssl. `by`: who vouches for it; left out, it vouches for itself. */
export async function makeKey(
  folder: string,
  name: string,
  options: { by?: SigningKey; kind?: string; ca?: boolean; usage?: string; days?: string[] } = {},
): Promise<SigningKey> {
  const { by, kind = 'rsa:2048', ca = false, usage = 'codeSigning', days = ['-days', '30'] } = options
  const [key, certificate] = [join(folder, `${name}.key`), join(folder, `${name}.crt`)]
  const newKey = kind.startsWith('rsa') ? ['-newkey', kind] : ['-newkey', 'ec', '-pkeyopt', `ec_paramgen_curve:${kind}`]
  const request = ['req', '-x509', '-nodes', '-keyout', key, '-out', certificate, '-subj', `/O=Reeve/CN=${name}`]
  const extensions = [`basicConstraints=critical,CA:${ca ? 'TRUE' : 'FALSE'}`]
  if (usage !== '') extensions.push(`extendedKeyUsage=${usage}`)
  await run('openssl', [
    ...request,
    ...newKey,
    ...days,
    ...extensions.flatMap((extension) => ['-addext', extension]),
    ...(by === undefined ? [] : ['-CA', by.certificate, '-CAkey', by.key]),
  ])
  return { key, certificate, fingerprint: fingerprint(await readFile(certificate)) }
}

/** A detached PKCS#7 signature of bytes, in DER. */
export async function signatureOf(
  content: Buffer,
  folder: string,
  signer: SigningKey,
  more: string[] = [],
): Promise<Buffer> {
  const [input, output] = [join(folder, 'content'), join(folder, 'signature.der')]
  await writeFile(input, content)
  await run('openssl', [
    'cms',
    '-sign',
    '-binary',
    '-in',
    input,
    '-signer',
    signer.certificate,
    '-inkey',
    signer.key,
    '-outform',
    'DER',
    '-out',
    output,
    '-md',
    'sha256',
    ...more,
  ])
  return readFile(output)
}

/** The block that stands behind a signed bundle. */
export function signatureBlock(der: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32LE(der.length)
  return Buffer.concat([Buffer.from('MCPB_SIG_V1'), length, der, Buffer.from('MCPB_SIG_END')])
}

function fingerprint(certificate: Buffer): string {
  return new X509Certificate(certificate).fingerprint256.replaceAll(':', '').toLowerCase()
}
