import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { packFolder } from '../../../server/modules/bundle/archive/pack-folder.ts'

export interface MadeWheel {
  readonly name: string
  readonly version: string
  /** By their paths. */
  readonly files?: Readonly<Record<string, string>>
  readonly requires?: readonly string[]
  /** The names of its extras. */
  readonly extras?: readonly string[]
  readonly description?: string
  /** `name = module:function`, one a line. */
  readonly scripts?: string
  /** The end of its file name. */
  readonly tags?: string
  /** Replaces what the index says of it. */
  readonly said?: Record<string, unknown>
}

/** An index of Python packages on this machine, with wheels made by the test. `answer` may take a request over. */
export async function servePypi(
  options: { answer?(request: IncomingMessage, response: ServerResponse): boolean } = {},
) {
  const folder = await mkdtemp(join(tmpdir(), 'reeve-index-'))
  const projects = new Map<string, Record<string, unknown>[]>()
  const asked: { path: string; authorization: string | undefined }[] = []
  let count = 0

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://x').pathname)
    asked.push({ path, authorization: request.headers.authorization })
    if (options.answer?.(request, response)) return
    const [, kind, which = ''] = path.split('/')
    const files = projects.get(which)
    if (kind === 'simple' && files !== undefined) {
      response.writeHead(200, { 'content-type': 'application/vnd.pypi.simple.v1+json' })
      return void response.end(JSON.stringify({ meta: { 'api-version': '1.1' }, name: which, files }))
    }
    if (kind === 'files') return void response.end(await readFile(join(folder, which)))
    response.writeHead(404).end()
  }

  const server = createServer((request, response) => {
    respond(request, response).catch((error: unknown) => response.destroy(error as Error))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/simple/`

  async function add(wheel: MadeWheel): Promise<void> {
    const { name, version, files = {}, requires = [], extras = [], description = '', scripts, said } = wheel
    const { tags = 'py3-none-any' } = wheel
    const plain = name.replaceAll('-', '_')
    const info = `${plain}-${version}.dist-info`
    const tree = join(folder, `tree-${++count}`)
    const about = ['Metadata-Version: 2.1', `Name: ${name}`, `Version: ${version}`, 'Summary: Made by a test']
    about.push(...extras.map((one) => `Provides-Extra: ${one}`), ...requires.map((one) => `Requires-Dist: ${one}`))
    const all: Record<string, string> = {
      ...files,
      [`${info}/METADATA`]: `${about.join('\n')}\n\n${description}`,
      [`${info}/WHEEL`]: `Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: ${tags}\n`,
      [`${info}/RECORD`]: '',
      ...(scripts !== undefined && { [`${info}/entry_points.txt`]: `[console_scripts]\n${scripts}\n` }),
    }
    for (const [path, content] of Object.entries(all)) {
      await mkdir(dirname(join(tree, path)), { recursive: true })
      await writeFile(join(tree, path), content)
    }
    const filename = `${plain}-${version}-${tags}.whl`
    await rm(join(folder, filename), { force: true })
    const { digest } = await packFolder(tree, join(folder, filename))
    list(name, { filename, url: `../../files/${filename}`, hashes: { sha256: digest }, ...said })
  }
  function list(name: string, file: Record<string, unknown>): void {
    const others = (projects.get(name) ?? []).filter(({ filename }) => filename !== file['filename'])
    projects.set(name, [...others, file])
  }

  return {
    url,
    /** Where the wheels are. */
    folder,
    asked,
    /** Lists a file that is no wheel, or none that there is. */
    list,
    async publish(...wheels: readonly MadeWheel[]): Promise<void> {
      for (const one of wheels) await add(one)
    },
    async [Symbol.asyncDispose](): Promise<void> {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** An MCP server in plain Python, whose only tool says a word from another package. */
export const PYTHON_SERVER = `import json, sys
from greeting_words import WORD

def send(**message):
    print(json.dumps({'jsonrpc': '2.0', **message}), flush=True)

def main():
    for line in sys.stdin:
        message = json.loads(line)
        method, id = message.get('method'), message.get('id')
        if method == 'initialize':
            info = {'name': 'greeter', 'version': '1'}
            send(id=id, result={'protocolVersion': '2025-06-18', 'capabilities': {'tools': {}}, 'serverInfo': info})
        elif method == 'tools/list':
            tool = {'name': 'hello', 'description': 'Says ' + WORD, 'inputSchema': {'type': 'object'}}
            send(id=id, result={'tools': [tool]})
        elif method == 'tools/call':
            send(id=id, result={'content': [{'type': 'text', 'text': WORD + ' ' + ' '.join(sys.argv[1:])}]})
        elif id is not None:
            send(id=id, result={})
`
