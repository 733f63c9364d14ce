import { createHash } from 'node:crypto'
import type { GuardedFetch } from '../../../kernel/network/guarded-fetch.ts'
import { say } from '../../../kernel/sentence.ts'
import { jsonValue } from '../../../kernel/text/json-value.ts'
import { shownText } from '../../bundle/manifest/shown-text.ts'
import { authorization, openRegistryFetch, reached, writeBody } from '../fetching.ts'
import { SourceError } from '../source-error.ts'
import { type PackageDocument, readPackageDocument } from './package-document.ts'
import { readIntegrity } from './integrity.ts'

export interface NpmRegistryOptions {
  /** Address of the registry, which may be in a private network. */
  readonly url: string
  /** Sent to this registry alone: as `Authorization: Bearer …`, or as Basic where it is `user:password`. */
  readonly token?: string | undefined
}

export interface NpmRegistry extends AsyncDisposable {
  /** `take` is told how many bytes came. @throws {SourceError} */
  document(
    name: string,
    options: { readonly signal: AbortSignal; take?(bytes: number): void },
  ): Promise<PackageDocument>
  /**
   * Writes a package's archive to the new file `file` and compares it with its digest. `take` is told how many bytes came.
   * @throws {SourceError}
   */
  archive(
    wanted: { readonly name: string; readonly tarball: string; readonly integrity: string },
    file: string,
    options: { readonly signal: AbortSignal; take(bytes: number): void },
  ): Promise<void>
}

const DOCUMENT_BYTES = 32 * 1024 * 1024
const ARCHIVE_BYTES = 256 * 1024 * 1024
/** Without what no installation needs, where the registry knows this form. */
const ACCEPT = 'application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8'

/** A registry of npm packages, reached by the guarded fetch. */
export function openNpmRegistry({ url, token }: NpmRegistryOptions): NpmRegistry {
  const base = new URL(url.endsWith('/') ? url : `${url}/`)
  const documents = openRegistryFetch(base, DOCUMENT_BYTES)
  const archives = openRegistryFetch(base, ARCHIVE_BYTES)

  async function get(
    from: GuardedFetch,
    address: URL,
    { accept, what, signal }: { readonly accept: string; readonly what: string; readonly signal: AbortSignal },
  ): Promise<Response> {
    const headers: Record<string, string> = { accept }
    if (token !== undefined && address.origin === base.origin) headers['authorization'] = authorization(token)
    const answer = await reached(from.fetch(address, { headers, signal }), address.host, signal)
    if (answer.ok) return answer
    await answer.body?.cancel()
    if (answer.status === 404) throw new SourceError('source_not_found', say`There is no package ${shownText(what)}.`)
    if (answer.status === 401 || answer.status === 403)
      throw new SourceError(
        'source_unreachable',
        say`${address.host} does not give out ${shownText(what)} without a token that it accepts.`,
      )
    throw new SourceError(
      'source_unreachable',
      say`${address.host} answered ${answer.status} when asked for ${shownText(what)}.`,
    )
  }

  return {
    async document(name, { signal, take }) {
      const answer = await get(documents, new URL(encodeURIComponent(name).replace('%40', '@'), base), {
        accept: ACCEPT,
        what: name,
        signal,
      })
      const text = await reached(readText(answer, take), base.host, signal)
      const document = readPackageDocument(name, jsonValue(text))
      if (document === null) throw unreadable(base, name)
      return document
    },

    async archive({ name, tarball, integrity }, file, { signal, take }) {
      const expected = readIntegrity(integrity)
      if (expected === null)
        throw new SourceError('source_refused', say`${name} has no digest that its archive could be compared with.`)
      const answer = await get(archives, archiveAddress(name, tarball, base), { accept: '*/*', what: name, signal })
      const hash = createHash(expected.algorithm)
      const keep = (part: Buffer): void => {
        take(part.length)
        hash.update(part)
      }
      await reached(writeBody(answer, file, { signal, take: keep }), base.host, signal)
      if (!expected.digests.includes(hash.digest('base64')))
        throw new SourceError(
          'source_refused',
          say`The archive of ${name} is not what its digest says. It was thrown away.`,
        )
    },

    async [Symbol.asyncDispose]() {
      await documents[Symbol.asyncDispose]()
      await archives[Symbol.asyncDispose]()
    },
  }
}

/** Each part is told to `take` as it comes, which may refuse it. */
async function readText({ body }: Response, take: ((bytes: number) => void) | undefined): Promise<string> {
  const parts: Uint8Array[] = []
  for await (const part of body ?? []) {
    take?.(part.length)
    parts.push(part)
  }
  return new TextDecoder().decode(Buffer.concat(parts))
}

/**
 * Where an archive is. Mirrors often pass on documents that name the registry they mirror, where every registry has its
 * archives (`/name/-/file`, at the usual port of https); the archives are with the mirror then.
 */
function archiveAddress(name: string, tarball: string, base: URL): URL {
  if (!URL.canParse(tarball, base.href)) throw unreadable(base, tarball)
  const url = new URL(tarball, base)
  const usual = url.pathname.replace(/%2f/i, '/').startsWith(`/${name}/-/`)
  if (url.host === base.host || url.protocol !== 'https:' || url.port !== '' || !usual) return url
  return new URL(url.pathname.slice(1), base)
}

function unreadable(base: URL, what: string): SourceError {
  return new SourceError('source_unreachable', say`What ${base.host} says of ${shownText(what)} cannot be read.`)
}
