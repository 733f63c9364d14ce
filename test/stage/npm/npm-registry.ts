import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { createGzip } from 'node:zlib'
import { pack, type Header } from 'tar-stream'

/** An entry of a package's archive, below its first folder. */
export interface Packed extends Partial<Header> {
  readonly name: string
  readonly content?: string | Buffer
}

export interface MadePackage {
  readonly name: string
  readonly version: string
  /** Of its `package.json`, besides name and version. */
  readonly about?: Record<string, unknown>
  readonly entries?: readonly Packed[]
  /** Replaces what the registry says of its archive. */
  readonly dist?: Record<string, unknown>
  /** Other words of its `package.json` in the registry only. */
  readonly said?: Record<string, unknown>
}

const ROOT = join(import.meta.dirname, '../../..')

/**
 * An npm registry on this machine: packages made by the test, and everything that lies in `node_modules`, packed when it
 * is asked for. `answer` may take a request over.
 */
export async function serveNpm(options: { answer?(request: IncomingMessage, response: ServerResponse): boolean } = {}) {
  const made: MadePackage[] = []
  const asked: { path: string; authorization: string | undefined }[] = []
  const archives = new Map<string, Promise<Buffer>>()
  const lock = JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, object>
  }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://x').pathname)
    asked.push({ path, authorization: request.headers.authorization })
    if (options.answer?.(request, response)) return
    const archive = /^\/(.+)\/-\/(.+)\.tgz$/.exec(path)
    if (archive !== null) {
      const found = await archives.get(`${archive[1]}@${archive[2]}`)
      if (found === undefined) return void response.writeHead(404).end('{}')
      return void response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(found)
    }
    const document = await describe(path.slice(1))
    if (document === null) return void response.writeHead(404).end('{}')
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document))
  }

  async function describe(name: string): Promise<object | null> {
    const versions: Record<string, object> = {}
    for (const one of made.filter((each) => each.name === name)) {
      const about = { name, version: one.version, ...one.about }
      const entries = [{ name: 'package.json', content: JSON.stringify(about) }, ...(one.entries ?? [])]
      versions[one.version] = {
        ...about,
        ...one.said,
        dist: { ...(await keep(name, one.version, entries)), ...one.dist },
      }
    }
    if (Object.keys(versions).length === 0) {
      for (const path of Object.keys(lock.packages).filter((each) => each.endsWith(`node_modules/${name}`))) {
        const folder = join(ROOT, path)
        const text = await readFile(join(folder, 'package.json'), 'utf8').catch(() => null)
        if (text === null) continue
        const about = JSON.parse(text) as { version: string }
        versions[about.version] = { ...about, dist: await keep(name, about.version, () => filesOf(folder)) }
      }
    }
    const latest = Object.keys(versions).at(-1)
    return latest === undefined ? null : { name, 'dist-tags': { latest }, versions }
  }

  async function keep(name: string, version: string, entries: readonly Packed[] | (() => Promise<Packed[]>)) {
    const id = `${name}@${version}`
    const known = archives.get(id) ?? Promise.resolve(typeof entries === 'function' ? entries() : entries).then(packed)
    archives.set(id, known)
    const integrity = `sha512-${createHash('sha512')
      .update(await known)
      .digest('base64')}`
    return { tarball: `${url}${name}/-/${version}.tgz`, integrity }
  }

  const server = createServer((request, response) => {
    respond(request, response).catch((error: unknown) => response.destroy(error as Error))
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`

  return {
    url,
    asked,
    /** Adds packages, the highest version last; earlier ones of the same name and version are replaced. */
    publish(...packages: MadePackage[]): void {
      for (const one of packages) {
        const before = made.findIndex(({ name, version }) => name === one.name && version === one.version)
        if (before !== -1) made.splice(before, 1)
        archives.delete(`${one.name}@${one.version}`)
        made.push(one)
      }
    },
    async [Symbol.asyncDispose](): Promise<void> {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

async function filesOf(folder: string): Promise<Packed[]> {
  const found = await readdir(folder, { withFileTypes: true, recursive: true })
  const files = found.map((entry) => ({ entry, path: join(entry.parentPath, entry.name).slice(folder.length + 1) }))
  return Promise.all(
    files
      .filter(({ entry, path }) => entry.isFile() && !path.split('/').includes('node_modules'))
      .map(async ({ path }) => ({ name: path, content: await readFile(join(folder, path)) })),
  )
}

async function packed(entries: readonly Packed[]): Promise<Buffer> {
  const archive = pack()
  const zipped = buffer(archive.pipe(createGzip()))
  for (const { name, content = '', ...header } of entries) {
    const path = name.startsWith('/') ? name.slice(1) : `package/${name}`
    archive.entry({ ...header, name: path }, content)
  }
  archive.finalize()
  return zipped
}
