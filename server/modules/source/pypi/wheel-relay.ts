import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { randomBytes } from 'node:crypto'
import { type PackLimits, tooMuch } from '../pack-limits.ts'
import { SourceError } from '../source-error.ts'
import type { ListedWheel, PypiIndex } from './pypi-index.ts'

export interface RelayOptions {
  readonly index: PypiIndex
  /** An existing folder for the wheels that were asked for. */
  readonly folder: string
  readonly limits: PackLimits
  readonly signal: AbortSignal
  /** Told how many projects were asked for. */
  projects(count: number): void
}

/** A wheel that was fetched and compared with its digest. */
export interface FetchedWheel extends ListedWheel {
  readonly file: string
}

export interface WheelRelay extends AsyncDisposable {
  readonly port: number
  /** The index as pip is to see it; nobody else can guess it. */
  readonly address: string
  /** Whatever kept it from an answer first: better than what pip makes of that. */
  readonly failure: Error | null
  /** The wheel behind an address that pip was given; null for another. @throws {SourceError} */
  wheel(address: string): Promise<FetchedWheel | null>
}

/**
 * An index on this machine, for as long as pip resolves: pip has no network of its own, and everything that it asks for goes
 * through the guarded fetch, within limits, without a token in pip's hands. Only wheels are listed, so nothing is ever built.
 */
export async function openWheelRelay(options: RelayOptions): Promise<WheelRelay> {
  const { index, folder, limits } = options
  const ended = new AbortController()
  const signal = AbortSignal.any([options.signal, ended.signal])
  const secret = randomBytes(24).toString('base64url')
  const projects = new Map<string, Promise<readonly string[] | null>>()
  const listed: ListedWheel[] = []
  const fetched = new Map<number, Promise<FetchedWheel>>()
  const left = { documents: limits.documentBytes, fetched: limits.fetchedBytes }
  const take = (kind: keyof typeof left) => (bytes: number) => {
    left[kind] -= bytes
    if (left[kind] < 0) throw tooMuch(limits)
  }
  let failure: Error | null = null

  async function listing(name: string): Promise<readonly string[] | null> {
    const wheels = await index.wheels(name, { signal, take: take('documents') })
    if (wheels === null) return null
    return wheels.map((one) => {
      const place = listed.push(one) - 1
      const { filename, sha256, requires_python, yanked } = one
      const url = `../../wheels/${place}/${filename}`
      return JSON.stringify({ filename, url, hashes: { sha256 }, 'requires-python': requires_python, yanked })
    })
  }
  function project(name: string): Promise<readonly string[] | null> {
    const known = projects.get(name)
    if (known !== undefined) return known
    if (projects.size >= limits.documents) return Promise.reject(tooMuch(limits))
    const asked = listing(name)
    projects.set(name, asked)
    options.projects(projects.size)
    return asked
  }
  function wheelAt(place: number): Promise<FetchedWheel> | null {
    const one = listed[place]
    if (one === undefined) return null
    const known = fetched.get(place)
    if (known !== undefined) return known
    const file = join(folder, `${place}.whl`)
    const asked = index.wheel(one, file, { signal, take: take('fetched') }).then(() => ({ ...one, file }))
    fetched.set(place, asked)
    return asked
  }

  async function answer(path: string, response: ServerResponse): Promise<void> {
    const [, given, kind, which = ''] = path.split('/')
    if (given !== secret) return void response.writeHead(404).end()
    if (kind === 'simple') {
      const files = /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(which) ? await project(which) : null
      if (files === null) return void response.writeHead(404).end()
      response.writeHead(200, { 'content-type': 'application/vnd.pypi.simple.v1+json' })
      const name = JSON.stringify(which)
      return void response.end(`{"meta":{"api-version":"1.0"},"name":${name},"files":[${files.join(',')}]}`)
    }
    const found = kind === 'wheels' && /^\d{1,7}$/.test(which) ? await wheelAt(Number(which)) : null
    if (found === null) return void response.writeHead(404).end()
    response.writeHead(200, { 'content-type': 'application/octet-stream' })
    await pipeline(createReadStream(found.file), response)
  }

  const server = createServer((request, response) => {
    answer(request.url ?? '/', response).catch((error: unknown) => {
      // pip hanging up in the middle is no failure of the index.
      if (error instanceof SourceError || (error instanceof Error && !response.destroyed)) failure ??= error
      if (response.headersSent) response.destroy()
      else response.writeHead(502).end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const address = `http://127.0.0.1:${port}/${secret}/simple/`

  return {
    port,
    address,
    get failure() {
      return failure
    },
    async wheel(given) {
      const place = given.startsWith(address.replace(/simple\/$/, 'wheels/'))
        ? /\/wheels\/(\d{1,7})\//.exec(given)?.[1]
        : undefined
      return place === undefined ? null : await wheelAt(Number(place))
    },
    async [Symbol.asyncDispose]() {
      ended.abort()
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
      await Promise.allSettled([...projects.values(), ...fetched.values()])
    },
  }
}
