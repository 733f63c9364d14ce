import { ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server'
import type { BuiltinModule } from '../../../server/modules/spec/builtin-module.ts'

const PAGE = 'manual://start'
/** An address that a browser could open. The module has no server there: it is read from the module. */
const WEB = 'https://manual.invalid/start'
/** Answered once the test lets it go on. */
const HELD = 'manual://held'
const RESOURCES = [
  { uri: PAGE, name: 'start', title: 'First page', description: 'How to begin', mimeType: 'text/markdown', size: 12 },
  { uri: 'manual://logo', name: 'logo', title: 'Logo', mimeType: 'image/png' },
  { uri: 'manual://empty', name: 'empty' },
  { uri: 'manual://broken', name: 'broken' },
  { uri: 'manual://huge', name: 'huge' },
  { uri: WEB, name: 'web' },
  { uri: HELD, name: 'held' },
  { uri: 'manual://hid\u202eden', name: 'hidden' },
  { uri: 'manual://unnamed' },
]
const DAYS = ['monday', 'tuesday', 'wednesday']

/** Completions that were asked for, by argument and value. */
export const completed: string[] = []
/** Addresses that the module was asked for. */
export const asked: string[] = []
/** Lets what is held be answered. */
export const held: (() => void)[] = []

const manifest = {
  manifest_version: '0.3',
  name: 'reader',
  display_name: 'Reader',
  version: '1.0.0',
  description: 'Has something to read',
  author: { name: 'Reeve' },
  server: { type: 'node', entry_point: 'main.js', mcp_config: { command: 'node', args: ['${__dirname}/main.js'] } },
}

function contentsOf(uri: string) {
  if (uri === PAGE) return [{ uri, mimeType: 'text/markdown', text: '# Begin\nhere' }]
  if (uri === WEB || uri === HELD) return [{ uri, mimeType: 'text/html', text: '<p>here</p>' }]
  if (uri === 'manual://logo') return [{ uri, mimeType: 'image/png', blob: 'iVBORw0KGgo=' }]
  if (uri === 'manual://empty') return []
  if (uri === 'manual://huge') return [{ uri, blob: 'A'.repeat(24 * 1024 * 1024) }]
  const day = /^log:\/\/(\w+)\/(\w+)$/.exec(uri)
  if (day !== null) return [{ uri, mimeType: 'text/plain', text: `${day[2]} of ${day[1]}` }]
  throw new ProtocolError(ProtocolErrorCode.InternalError, 'The page is torn.')
}

/** A module with resources, a family of them, and suggestions. */
export const readingModule: BuiltinModule = {
  manifest,
  reach: 'own',
  createServer: () => {
    const capabilities = { tools: {}, resources: {}, prompts: {}, completions: {} }
    const server = new Server({ name: 'reader', version: '1.0.0' }, { capabilities })
    server.setRequestHandler('tools/list', () => ({ tools: [] }))
    server.setRequestHandler('resources/list', () => ({ resources: RESOURCES as never }))
    server.setRequestHandler('resources/templates/list', () => ({
      resourceTemplates: [
        { uriTemplate: 'log://{host}/{day}', name: 'log', title: 'Log of a day', mimeType: 'text/plain' },
        { uriTemplate: 'log://none', name: 'not a family' },
      ],
    }))
    server.setRequestHandler('resources/read', async ({ params: { uri } }) => {
      asked.push(uri)
      if (uri === HELD) await new Promise<void>((resolve) => held.push(resolve))
      return { contents: contentsOf(uri) }
    })
    server.setRequestHandler('prompts/list', () => ({
      prompts: [{ name: 'plan', arguments: [{ name: 'day', required: true }, { name: 'host' }] }],
    }))
    server.setRequestHandler('completion/complete', ({ params: { argument, context } }) => {
      completed.push(`${argument.name}=${argument.value}`)
      const days = context?.arguments?.['host'] === 'closed' ? [] : DAYS
      return { completion: { values: days.filter((day) => day.startsWith(argument.value)) } }
    })
    return Promise.resolve(server as never)
  },
}
