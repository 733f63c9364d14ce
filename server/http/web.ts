import { readdir, readFile, stat } from 'node:fs/promises'
import { extname, join, sep } from 'node:path'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../kernel/app-error.ts'
import { say } from '../kernel/sentence.ts'
import { mediaTypeOf } from './request/media-type.ts'
import { PAGE_POLICY } from './answer/security-headers.ts'
import { NO_PAGE_FILES, preloadHeader, readPageFiles, type PageFiles, type PageReader } from './page-preloads.ts'

const RESCAN_MS = 1000
/** Best first; the build writes them next to the file. */
const ENCODINGS = [
  { name: 'br', suffix: '.br' },
  { name: 'gzip', suffix: '.gz' },
] as const

interface Asset {
  readonly file: string
  readonly etag: string
}

/**
 * The built browser interface: the one page and its assets. Paths are looked up in a list of existing files, so no path
 * of a request ever reaches the file system.
 */
export class Web {
  readonly #root: string
  #assets: ReadonlyMap<string, Asset> = new Map()
  #pageFiles: PageFiles = NO_PAGE_FILES
  #scannedAt = -Infinity
  #scanning: Promise<void> | null = null

  constructor(root: string) {
    this.#root = root
  }

  /**
   * Answers with the application's page, and with the list of what the browser needs for it unless `reader` is null.
   * @throws {AppError} not_ready when there is no build.
   */
  async sendPage(
    request: FastifyRequest,
    reply: FastifyReply,
    status: number,
    reader: PageReader | null,
  ): Promise<FastifyReply> {
    const page = await this.#find('/index.html')
    if (page === undefined)
      throw new AppError('not_ready', say`The browser interface is not built. Run \`npm run build\`, then reload.`)
    reply.code(status).header('cache-control', 'no-cache')
    const links = reader === null ? '' : preloadHeader(this.#pageFiles, request.url, reader)
    if (links !== '') reply.header('link', links)
    return this.#send(page, '/index.html', request, reply)
  }

  /** Answers with a file of the build; null when there is none at this path. */
  async sendAsset(path: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | null> {
    const asset = path === '/index.html' ? undefined : await this.#find(path)
    if (asset === undefined) return null
    // Names under /assets/ contain a hash of the content; the others keep their name when they change.
    reply.header('cache-control', path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache')
    reply.header('etag', asset.etag).header('vary', 'accept-encoding')
    if (request.headers['if-none-match'] === asset.etag) return reply.code(304).send()
    try {
      return await this.#send(asset, path, request, reply)
    } catch (error) {
      // A new build has removed it since it was listed.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
      await this.#rescan()
      for (const header of ['cache-control', 'etag', 'vary', 'content-encoding']) reply.removeHeader(header)
      return null
    }
  }

  async #send(asset: Asset, path: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const encoding = ENCODINGS.find(
      ({ name, suffix }) => this.#assets.has(path + suffix) && accepts(request.headers['accept-encoding'], name),
    )
    if (encoding !== undefined) reply.header('content-encoding', encoding.name)
    const bytes = await readFile(encoding === undefined ? asset.file : asset.file + encoding.suffix)
    reply.header('content-type', mediaTypeOf(extname(path))).header('vary', 'accept-encoding')
    // Assets too, because a worker takes its policy from its own script.
    reply.header('content-security-policy', PAGE_POLICY)
    return reply.send(bytes)
  }

  async #find(path: string): Promise<Asset | undefined> {
    const known = this.#assets.get(path)
    // A new build replaces files while the server runs, so they are looked for at most once a second.
    if (known !== undefined) return known
    // Requests during a scan wait for its result: before the first scan nothing is known.
    if (this.#scanning === null && performance.now() - this.#scannedAt >= RESCAN_MS)
      this.#scanning = this.#rescan().finally(() => (this.#scanning = null))
    await this.#scanning
    return this.#assets.get(path)
  }

  async #rescan(): Promise<void> {
    const [assets, pageFiles] = await Promise.all([scan(this.#root), readPageFiles(this.#root)])
    this.#assets = assets
    this.#pageFiles = pageFiles
    this.#scannedAt = performance.now()
  }
}

async function scan(root: string): Promise<Map<string, Asset>> {
  const found = new Map<string, Asset>()
  const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => [])
  for (const entry of entries) {
    if (!entry.isFile()) continue
    const file = join(entry.parentPath, entry.name)
    // A build running at the same time removes files.
    const facts = await stat(file).catch(() => null)
    if (facts === null) continue
    const { size, mtimeMs } = facts
    const path = file.slice(join(root, sep).length - 1).replaceAll(sep, '/')
    found.set(path, { file, etag: `W/"${size.toString(36)}-${Math.trunc(mtimeMs).toString(36)}"` })
  }
  return found
}

/** Whether an Accept-Encoding header accepts this coding (RFC 9110 §12.5.3; `;q=0` refuses). */
function accepts(header: string | string[] | undefined, coding: string): boolean {
  if (typeof header !== 'string') return false
  return header.split(',').some((part) => {
    const [name = '', ...parameters] = part.trim().toLowerCase().split(';')
    return name.trim() === coding && !parameters.some((parameter) => /^\s*q\s*=\s*0(\.0*)?\s*$/.test(parameter))
  })
}
