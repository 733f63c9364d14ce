import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { ModuleHost } from '../server/modules/supervision/module-host.ts'
import { closeHosts, run } from './stage/modules/hostile-module.ts'
import { openWorkshop } from './stage/modules/module-workshop.ts'
import { toolRequest } from './stage/tool-request.ts'

let workshop: Awaited<ReturnType<typeof openWorkshop>>
beforeAll(async () => {
  workshop = await openWorkshop()
})
afterEach(closeHosts)
afterAll(() => workshop[Symbol.asyncDispose]())

async function started(source: string, more: Parameters<typeof workshop.script>[1] = {}) {
  const { host } = await run([workshop.script(source, more)])
  await host.started('hostile')
  return { host }
}
const request = (host: ModuleHost, tool: string) =>
  host.call(toolRequest('hostile', tool), new AbortController().signal, () => undefined)

describe('answers', () => {
  test('that come twice, for nobody, or as nonsense harm nothing', async () => {
    const { host } = await started(`on('tools/call', (_params, { id }) => {
      send({ id: 424242, result: text('nobody') })
      send({ id: 'x', error: { code: 1, message: 'what' } })
      process.stdout.write('not json\\n{"jsonrpc":"2.0"}\\n[]\\n')
      send({ id, result: text('first') })
      send({ id, result: text('second') })
    })`)
    for (let i = 0; i < 3; i++) expect(await request(host, 'a')).toMatchObject({ status: 'done', text: 'first' })
    expect(host.runtime('hostile')?.state).toBe('running')
  })
  test('with pictures, sound, files and links to files of the module become files', async () => {
    const { host } = await started(`
      const data = Buffer.from('picture').toString('base64')
      on('resources/read', ({ uri }) => uri.endsWith('none')
        ? { contents: [] }
        : { contents: [{ uri, mimeType: 'text/csv', text: 'a,b' }] })
      on('tools/call', () => ({ content: [
        { type: 'text', text: 'Look:' },
        { type: 'image', mimeType: 'image/png', data },
        { type: 'image', mimeType: 'image/png', data },
        { type: 'audio', mimeType: 'audio/wav', data },
        { type: 'resource', resource: { uri: 'file:///a/..%2f..%2fetc%2fpass\\u202ewd', mimeType: 'evil\\n/type', blob: data } },
        { type: 'resource', resource: { uri: 'note:1', text: 'a note' } },
        { type: 'resource_link', uri: 'mine://report', name: 'report.csv' },
        { type: 'resource_link', uri: 'mine://none', name: 'none' },
        { type: 'resource_link', uri: 'http://169.254.169.254/latest', name: 'out' },
      ] }))`)
    const { status, text, files } = await request(host, 'a')
    expect(status).toBe('done')
    expect(files.map(({ name, media_type, data }) => [name, media_type, Buffer.from(data).toString()])).toEqual([
      ['image.png', 'image/png', 'picture'],
      ['image-2.png', 'image/png', 'picture'],
      ['audio.wav', 'audio/wav', 'picture'],
      ['passwd', 'application/octet-stream', 'picture'],
      ['report.csv', 'text/csv', 'a,b'],
    ])
    expect(text).toContain('[file image.png, image/png: shown to the person]')
    expect(text).toContain('a note')
    expect(text).toContain('[link to out: http://169.254.169.254/latest]')
    expect(text).toContain('[none: it is empty]')
  })
  test.each([
    [
      `'text'`,
      'The result must be an object such as {"content": [{"type": "text", "text": "…"}]}, not the text "text".',
    ],
    ['null', 'The result must be an object such as {"content": [{"type": "text", "text": "…"}]}, not null.'],
    [`{ content: 'text' }`, 'content must be a list of blocks, not the text "text".'],
    [`{ content: [{ type: 'text' }] }`, 'content[0].text must be text, but is missing.'],
    [
      `{ content: [{ type: 'text', text: 'a' }, 'b'] }`,
      'content[1] must be an object such as {"type": "text", "text": "…"}, not the text "b".',
    ],
    [
      `{ content: [{ type: 'picture' }] }`,
      'content[0].type must be one of text, image, audio, resource, resource_link, not the text "picture".',
    ],
    [`{ content: [{ type: 'image', data: 'no base64!', mimeType: 'image/png' }] }`, 'content[0].data must be base64.'],
    [
      `{ content: [{ type: 'resource', resource: { uri: 'a:b' } }] }`,
      'content[0].resource must have "text", or "blob" as base64.',
    ],
    [`{ content: [], structuredContent: 5 }`, 'structuredContent must be an object, not the number 5.'],
    [`{ content: [], isError: 'yes' }`, 'isError must be true or false, not the text "yes".'],
  ])('of the wrong form, %s, fail at once and say where and what belongs there', async (result, fault) => {
    const { host } = await started(`on('tools/call', (_params, { id }) => { send({ id, result: ${result} }) })`)
    const { status, text } = await request(host, 'a')
    expect([status, text]).toEqual([
      'failed',
      `The module's answer is not a tool result: ${fault} The tool itself may have done its work.`,
    ])
    expect(host.runtime('hostile')?.state).toBe('running')
  })
  test('say why tables are not shown, unless nobody meant them to be', async () => {
    const { host } = await started(`
      tools = [tool('wrong'), tool('other')]
      on('tools/call', ({ name }) => ({ content: [{ type: 'text', text: 'Here' }], structuredContent: name === 'wrong'
        ? { tables: [{ title: 'Hosts', columns: 'name', rows: [] }] }
        : { tables: [{ name: 'users', columns: ['id', 'name'] }] } }))`)
    expect((await request(host, 'wrong')).text).toContain('[Its tables are not shown: tables[0].columns: ')
    expect((await request(host, 'other')).text).toBe('Here')
  })
  test('with too many or too large files say what is left out', async () => {
    const { host } = await started(`
      tools = [tool('many'), tool('large')]
      const image = (data) => ({ type: 'image', mimeType: 'image/png', data })
      on('tools/call', ({ name }) => ({ content: name === 'many'
        ? Array.from({ length: 25 }, () => image('AAAA'))
        : Array.from({ length: 3 }, () => ({ type: 'resource_link', uri: 'mine://large', name: 'large' })) }))
      on('resources/read', ({ uri }) => ({ contents: [{ uri, blob: 'A'.repeat(9_000_000) }] }))`)
    const many = await request(host, 'many')
    expect([many.files.length, many.text.match(/too many files/g)?.length]).toEqual([20, 5])
    const large = await request(host, 'large')
    expect([large.files.length, /too large/.test(large.text)]).toEqual([2, true])
  })
  test('show what hides in them, and never the secrets of the module', async () => {
    const secret = 'correct-horse-battery'
    const { host } = await started(
      `on('tools/call', () => ({ ...text('\\u001b[31mred\\u001b[0m \\u202eevil ❤️ 👩‍👩 \\u{e0041} ' + process.env.KEY),
        structuredContent: { columns: [{ key: 'k' }], rows: [{ k: process.env.KEY }] } }))`,
      { secrets: [secret], env: { KEY: secret } },
    )
    const result = await request(host, 'a')
    expect(result.text).toMatch(/^\\u\{1b\}\[31mred\\u\{1b\}\[0m \\u\{202e\}evil ❤️ 👩‍👩 \\u\{e0041\} \[secret\]/u)
    expect(JSON.stringify(result)).not.toContain(secret)
  })
})
