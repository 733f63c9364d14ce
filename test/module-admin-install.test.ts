import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { startTestApp, type TestApp } from './stage/app.ts'
import type { TestClient } from './stage/client.ts'
import { databaseContent } from './stage/databases/database-content.ts'
import { install, makeBundle } from './stage/modules/module-bundles.ts'
import { databases } from './stage/servers/postgres.ts'

const { modules } = contract
const PACKED_MIB = 2

describe.each(databases)('installing on $name', (database) => {
  let app: TestApp
  let admin: TestClient
  let bundle: Buffer
  beforeAll(async () => {
    app = await startTestApp({
      database,
      env: { REEVE_MODULE_PACKED: `${PACKED_MIB}MiB`, REEVE_MODULE_UNPACKED: '3MiB' },
    })
    admin = await app.as('admin')
    bundle = await makeBundle()
  })
  afterAll(() => app[Symbol.asyncDispose]())

  const post = (body: unknown, name: string | null = 'a.mcpb', headers: Record<string, string> = {}) =>
    admin.fetch('/api/modules/install', {
      method: 'POST',
      headers: { ...(name === null ? {} : { 'x-module-filename': name }), ...headers },
      body: body as RequestInit['body'],
      ...({ duplex: 'half' } as object),
    })
  const code = async (answer: Response) => [answer.status, ((await answer.json()) as { code?: string }).code]

  /** What is on the disk for modules, and in the database. */
  async function content() {
    const root = join(app.dataFolder, 'modules')
    const entries = await readdir(root, { recursive: true, withFileTypes: true })
    const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
    // That built-in modules came up is told to administrators whenever it happens.
    const { event: _, ...rows } = await databaseContent(app.app.db)
    return { files: files.sort(), rows }
  }

  test('wants a plain file name of a bundle', async () => {
    const before = await content()
    for (const name of [
      null,
      '',
      'a.txt',
      '.mcpb',
      'mcpb',
      '../a.mcpb',
      '..%2Fa.mcpb',
      '/etc/a.mcpb',
      'C:\\a.mcpb',
      'C%3Aa.mcpb',
      'a%00.mcpb',
      'a%0d%0aX: y.mcpb',
      'a%E2%80%AEbpcm.mcpb',
      '%',
      '%ff.mcpb',
      "UTF-8''a.mcpb%20x",
      `${'a'.repeat(300)}.mcpb`,
    ]) {
      expect([name, ...(await code(await post(bundle, name)))]).toEqual([name, 400, 'bad_module_name'])
    }
    expect((await post(bundle, 'a'.repeat(4000))).status).toBe(422)
    expect(await content()).toEqual(before)
  })

  test('refuses what is no bundle, and leaves nothing of it', async () => {
    const before = await content()
    expect(await code(await post('some bytes'))).toEqual([400, 'bad_archive'])
    expect(await code(await post(''))).toEqual([400, 'bad_archive'])
    expect(await code(await post(bundle.subarray(0, -30) as never))).toEqual([400, 'bad_archive'])
    expect(await code(await post(await makeBundle({ manifest: { version: 5 } })))).toEqual([400, 'bad_manifest'])
    expect(await code(await post(await makeBundle({ name: '💥' })))).toEqual([400, 'bad_manifest'])
    for (const meta of [5, { capabilities: 'all' }, { settings: { a: { pattern: '(a+)+$' } } }]) {
      expect([meta, ...(await code(await post(await makeBundle({ meta: meta as object }))))]).toEqual([
        meta,
        400,
        'bad_manifest',
      ])
    }
    for (const name of ['system', 'System', ' SYSTEM ', 'ｓｙｓｔｅｍ']) {
      const answer = await code(await post(await makeBundle({ name })))
      expect([name, ...answer]).toEqual([name, 409, 'name_of_builtin'])
    }
    const old = { compatibility: { runtimes: { node: '>=999' } } }
    expect(await code(await post(await makeBundle({ manifest: old })))).toEqual([400, 'module_incompatible'])
    const far = await makeBundle({ meta: { min_version: '999.0.0' } })
    expect(await code(await post(far))).toEqual([400, 'module_incompatible'])
    expect(await content()).toEqual(before)
  })

  test('refuses more than is set, announced or not', async () => {
    const before = await content()
    const piece = Buffer.alloc(1024 * 1024)
    let sent = 0
    const endless = new ReadableStream({
      pull(controller) {
        sent += piece.length
        controller.enqueue(piece)
        if (sent > PACKED_MIB * piece.length + 4 * piece.length) controller.close()
      },
    })
    const answer = await post(endless).then(code, () => 'cut off')
    expect([[413, 'payload_too_large'], 'cut off']).toContainEqual(answer)
    expect(await content()).toEqual(before)
  })

  test('refuses what would unpack to more than is set', async () => {
    const large = await makeBundle({ files: { 'large.txt': Buffer.alloc(4 * 1024 * 1024, 'many words ') } })
    expect(large.length).toBeLessThan(1024 * 1024)
    const answer = await post(large)
    expect([answer.status, await answer.json()]).toMatchObject([
      413,
      { code: 'archive_too_large', detail: expect.stringContaining('at most 3 MiB are allowed') as unknown },
    ])
  })

  test('of one module twice at once: one is told that it came second', async () => {
    const [one, other] = await Promise.all([post(bundle), post(bundle)])
    const codes = [one, other].map(({ status }) => status).sort((a, b) => a - b)
    expect(codes).toEqual([200, 409])
    const { catalog } = await admin.call(modules.list)
    expect(catalog.filter(({ name }) => name === 'plain')).toHaveLength(1)
  })

  test('of the same version again is refused, and an older one unless it is wanted', async () => {
    expect(await code(await post(bundle))).toEqual([409, 'same_version'])
    const same = await makeBundle({ files: { 'other.txt': 'x' } })
    expect(await code(await post(same))).toEqual([409, 'same_version'])
    const older = await makeBundle({ version: '0.9.0' })
    expect(await code(await post(older))).toEqual([409, 'downgrade'])
    const answer = await install(admin, older, { allow_downgrade: 'true' })
    expect(answer).toMatchObject({ previous_version: '1.0.0', module: { version: '0.9.0' } })
    expect(answer.module.history[0]).toMatchObject({ action: 'module.downgraded' })
  })

  test('keeps the current version and three before it', async () => {
    for (const version of ['1.1.0', '1.2.0', '1.3.0', '1.10.0']) await install(admin, await makeBundle({ version }))
    const { module } = await admin.call(modules.module, { params: { module_name: 'plain' } })
    expect(module.versions.map(({ version }) => version)).toEqual(['1.10.0', '1.3.0', '1.2.0', '1.1.0'])
    const trees = await readdir(join(app.dataFolder, 'modules/unpacked'))
    expect(trees.sort()).toEqual(module.versions.map(({ digest }) => digest).sort())
    expect(await readdir(join(app.dataFolder, 'modules/staging'))).toEqual([])
  })

  test('back and forth between kept versions', async () => {
    const params = { module_name: 'plain' }
    const back = await admin.call(modules.rollback, { params, body: {} })
    expect(back.module.version).toBe('1.3.0')
    const { digest } = back.module.versions.find(({ version }) => version === '1.10.0')!
    expect((await admin.call(modules.rollback, { params, body: { digest } })).module.version).toBe('1.10.0')
    await expect(admin.call(modules.rollback, { params, body: { digest: 'nothing' } })).rejects.toMatchObject({
      code: 'no_previous_version',
    })
    await expect(admin.call(modules.rollback, { params: { module_name: 'system' }, body: {} })).rejects.toMatchObject({
      code: 'no_previous_version',
    })
  })

  test('of a remote module checks its address', async () => {
    const add = (body: object) =>
      admin.call(modules.addRemote, { body: { name: 'far', url: 'https://mcp.example/mcp', ...body } })
    await expect(add({ name: 'system' })).rejects.toMatchObject({ code: 'name_of_builtin' })
    await expect(add({ name: 'plain' })).rejects.toMatchObject({ code: 'module_exists' })
    await expect(add({ url: 'https://user:pass@mcp.example/' })).rejects.toMatchObject({ code: 'bad_module_url' })
    await expect(add({ url: 'http://mcp.example/', token: 'abc' })).rejects.toMatchObject({ code: 'bad_module_url' })
    await expect(add({ url: 'http://mcp.example/', sign_in: 'shared' })).rejects.toMatchObject({
      code: 'bad_module_url',
    })
    await expect(add({ headers: 'Host: elsewhere' })).rejects.toMatchObject({
      code: 'invalid_request',
      problem: { errors: [{ path: 'headers', message: 'Reeve sets the header Host itself.' }] },
    })
    await expect(add({ url: 'file:///etc/passwd' })).rejects.toMatchObject({ status: 422 })
    const { module } = await add({ token: 'r3mote-t0ken', headers: 'X-Key: r3mote-t0ken-too', sign_in: 'person' })
    expect(module).toMatchObject({
      kind: 'remote',
      state: 'needs_configuration',
      url: 'https://mcp.example/mcp',
      connection: { sign_in: 'person', status: 'never' },
    })
    expect(JSON.stringify(await databaseContent(app.app.db))).not.toContain('r3mote-t0ken')
    expect(await code(await post(await makeBundle({ name: 'far' })))).toEqual([409, 'module_exists'])
    const params = { module_name: 'far' }
    const gone = await admin.call(modules.uninstall, { params, body: {} })
    expect(gone).toMatchObject({ removed: ['settings', 'secrets'], kept: [], backup: null })
  })
})
