import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { messagesOf, openStage, partsOf, say, type Stage } from './stage/chat-stage.ts'
import type { TestClient } from './stage/client.ts'
import { install, makeBundle, PNG } from './stage/modules/module-bundles.ts'
import { databases } from './stage/servers/postgres.ts'

const { modules } = contract
/** Another picture, by what follows its end. */
const DARK = Buffer.concat([PNG, Buffer.from('dark')])
const data = (bytes: Buffer) => `data:image/png;base64,${bytes.toString('base64')}`
const SERVER = [{ src: 'https://icons.example.com/a.png' }, { src: data(PNG), mimeType: 'image/png' }]
const TOOL = [
  { src: data(PNG), theme: 'light' },
  { src: data(DARK), theme: 'dark' },
]

describe.each(databases)('icons of modules and tools on $name', (database) => {
  let stage: Stage
  let admin: TestClient
  let ann: TestClient
  beforeAll(async () => {
    stage = await openStage(database, { engine: false })
    admin = await stage.as('admin')
    ann = (await stage.member('ann', [{ subject: 'tool:plain.echo', effect: 'ask' }])).client
    const env = { ICONS: JSON.stringify(SERVER), TOOL_ICONS: JSON.stringify(TOOL), TOOLS: '["echo","look"]' }
    await install(admin, await makeBundle({ env }))
    await admin.call(modules.enable, { params: { module_name: 'plain' }, body: {} })
  })
  afterAll(() => stage[Symbol.asyncDispose]())
  const detail = async (module_name = 'plain') => (await admin.call(modules.module, { params: { module_name } })).module
  const bytes = async (client: TestClient, path: string) => {
    const response = await client.fetch(path)
    return [response.status, response.headers.get('content-type'), Buffer.from(await response.arrayBuffer())] as const
  }

  test('are shown from what the server says, by theme, and read by whoever sees a call', async () => {
    const { icon, tools } = await detail()
    const [echo, look] = tools
    expect(echo!.icon!.dark).not.toBe(echo!.icon!.light)
    // What a tool does not say is what its server says; that is the same picture here.
    expect(look!.icon).toEqual({ light: echo!.icon!.light, dark: echo!.icon!.light })
    expect(icon).toEqual(look!.icon)
    expect(await bytes(ann, echo!.icon!.light)).toEqual([200, 'image/png', PNG])
    expect(await bytes(ann, echo!.icon!.dark)).toEqual([200, 'image/png', DARK])
    expect(await bytes(stage.anonymous(), echo!.icon!.light)).toMatchObject({ 0: 401 })
    const response = await ann.fetch(echo!.icon!.light)
    expect(response.headers.get('cache-control')).toBe('private, max-age=31536000, immutable')
    expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'none';.*sandbox$/)
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(await bytes(ann, `/api/modules/plain/icons/${'0'.repeat(64)}`)).toMatchObject({ 0: 404 })
    expect(await bytes(ann, echo!.icon!.light.replace('plain', 'system'))).toMatchObject({ 0: 404 })
  })

  test('are on the card and on the call, while the module runs', async () => {
    const { icon } = (await detail()).tools[0]!
    const { approvals, conversation_id } = await say(ann, '/plain.echo {}')
    expect(approvals).toMatchObject([{ icon }])
    const calls = async () =>
      (await messagesOf(ann, conversation_id)).flatMap((message) => partsOf(message, 'tool_call'))
    expect(await calls()).toMatchObject([{ tool_call: { icon } }])
    await admin.call(modules.disable, { params: { module_name: 'plain' } })
    expect((await calls())[0]!.tool_call).not.toHaveProperty('icon')
    expect(await bytes(ann, icon!.light)).toMatchObject({ 0: 404 })
    expect(await detail()).toMatchObject({ icon_url: null })
    expect(await detail()).not.toHaveProperty('icon')
  })

  test('of a bundle’s files come before those of its server, and are there before it runs', async () => {
    const manifest = { icons: [{ src: 'day.png' }, { src: 'night.png', theme: 'dark' }] }
    const files = { 'day.png': PNG, 'night.png': DARK }
    await install(admin, await makeBundle({ name: 'drawn', manifest, files, env: { ICONS: JSON.stringify(SERVER) } }))
    const { icon } = await detail('drawn')
    expect(icon).toEqual({ light: '/api/modules/drawn/icon', dark: '/api/modules/drawn/icon?theme=dark' })
    expect((await bytes(admin, icon!.light))[2]).toEqual(PNG)
    expect((await bytes(admin, icon!.dark))[2]).toEqual(DARK)
    await admin.call(modules.enable, { params: { module_name: 'drawn' }, body: {} })
    expect((await detail('drawn')).icon).toEqual(icon)
  })
  test('of a module that is written with the kit are those that it names', async () => {
    const kit = await readFile(join(import.meta.dirname, '../sdk/kit/lib/mcp.js'), 'utf8')
    const tool = { name: 'wave', title: 'Wave', inputSchema: { type: 'object' } }
    const server = `import kit from './mcp.js'
      const icons = [{ src: '${data(DARK)}' }]
      kit.serve({ name: 'waver', version: '1.0.0', icons, tools: [{ ...${JSON.stringify(tool)}, run: () => 'waved' }] })`
    await install(admin, await makeBundle({ name: 'waver', files: { 'server.mjs': server, 'mcp.js': kit } }))
    await admin.call(modules.enable, { params: { module_name: 'waver' }, body: {} })
    const { icon, tools } = await detail('waver')
    expect(tools).toMatchObject([{ name: 'wave', icon }])
    expect((await bytes(admin, icon!.light))[2]).toEqual(DARK)
  })
})
