import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { GuardedFetch } from '../../../kernel/network/guarded-fetch.ts'
import { say } from '../../../kernel/sentence.ts'
import { jsonValue } from '../../../kernel/text/json-value.ts'
import { shownText } from '../../bundle/manifest/shown-text.ts'
import { authorization, openRegistryFetch, reached, writeBody } from '../fetching.ts'
import { SourceError } from '../source-error.ts'

export interface PypiIndexOptions {
  /** Address of the index, such as `https://host/simple/`; it may be in a private network. */
  readonly url: string
  /** Sent to this index alone: as `Authorization: Bearer …`, or as Basic where it is `user:password`. */
  readonly token?: string | undefined
}

/** A wheel as the index lists it. */
export interface ListedWheel {
  readonly filename: string
  readonly url: string
  readonly sha256: string
  readonly requires_python: string | undefined
  readonly yanked: string | boolean
}

export interface PypiIndex extends AsyncDisposable {
  /** The wheels of a project that have a digest; null where there is no such project. @throws {SourceError} */
  wheels(name: string, options: Fetching): Promise<ListedWheel[] | null>
  /** Writes a wheel to the new file `file` and compares it with its digest. @throws {SourceError} */
  wheel(wanted: ListedWheel, file: string, options: Fetching): Promise<void>
}

interface Fetching {
  readonly signal: AbortSignal
  /** Told how many bytes came. */
  take(bytes: number): void
}

const DOCUMENT_BYTES = 32 * 1024 * 1024
const WHEEL_BYTES = 256 * 1024 * 1024
const JSON_TYPE = 'application/vnd.pypi.simple.v1+json'

const text = z.string().optional().catch(undefined)
const Listed = z.looseObject({
  filename: z.string().regex(/^[\w.+!-]{1,200}\.whl$/),
  url: z.string().min(1),
  hashes: z.looseObject({ sha256: z.string().regex(/^[0-9a-f]{64}$/i) }),
  'requires-python': text,
  yanked: z.union([z.string(), z.boolean()]).optional().catch(true),
})
const Project = z.looseObject({ files: z.array(z.unknown()) })

/** An index of Python packages that speaks JSON (PEP 691), reached by the guarded fetch. */
export function openPypiIndex({ url, token }: PypiIndexOptions): PypiIndex {
  const base = new URL(url.endsWith('/') ? url : `${url}/`)
  const documents = openRegistryFetch(base, DOCUMENT_BYTES)
  const files = openRegistryFetch(base, WHEEL_BYTES)

  async function get(from: GuardedFetch, address: URL, what: string, signal: AbortSignal): Promise<Response> {
    const headers: Record<string, string> = { accept: from === documents ? JSON_TYPE : '*/*' }
    if (token !== undefined && address.origin === base.origin) headers['authorization'] = authorization(token)
    const answer = await reached(from.fetch(address, { headers, signal }), address.host, signal)
    if (answer.ok) return answer
    await answer.body?.cancel()
    if (answer.status === 404) throw new SourceError('source_not_found', say`There is no package ${shownText(what)}.`)
    throw new SourceError(
      'source_unreachable',
      answer.status === 401 || answer.status === 403
        ? say`${address.host} does not give out ${shownText(what)} without a token that it accepts.`
        : say`${address.host} answered ${answer.status} when asked for ${shownText(what)}.`,
    )
  }

  return {
    async wheels(name, { signal, take }) {
      const found = await get(documents, new URL(`${name}/`, base), name, signal).catch((error: unknown) => {
        if (error instanceof SourceError && error.code === 'source_not_found') return null
        throw error
      })
      if (found === null) return null
      const bytes = await reached(found.bytes(), base.host, signal)
      take(bytes.length)
      const project = Project.safeParse(jsonValue(new TextDecoder().decode(bytes)))
      if (!project.success)
        throw new SourceError('source_unreachable', say`What ${base.host} says of ${shownText(name)} cannot be read.`)
      const at = URL.canParse(found.url) ? found.url : base.href
      return project.data.files.flatMap((one): ListedWheel[] => {
        const read = Listed.safeParse(one)
        if (!read.success || !URL.canParse(read.data.url, at)) return []
        const { filename, hashes, 'requires-python': requires_python, yanked = false } = read.data
        const { href } = new URL(read.data.url, at)
        return [{ filename, url: href, sha256: hashes.sha256.toLowerCase(), requires_python, yanked }]
      })
    },

    async wheel({ filename, url: address, sha256 }, file, { signal, take }) {
      const answer = await get(files, new URL(address), filename, signal)
      const hash = createHash('sha256')
      const keep = (part: Buffer): void => {
        take(part.length)
        hash.update(part)
      }
      await reached(writeBody(answer, file, { signal, take: keep }), base.host, signal)
      if (hash.digest('hex') !== sha256)
        throw new SourceError(
          'source_refused',
          say`The archive of ${shownText(filename)} is not what its digest says. It was thrown away.`,
        )
    },

    async [Symbol.asyncDispose]() {
      await documents[Symbol.asyncDispose]()
      await files[Symbol.asyncDispose]()
    },
  }
}
