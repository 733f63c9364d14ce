import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CommandFile } from '../contract/commands.ts'
import { contract } from '../contract/index.ts'
import { type ExistingCommand, type ImportedCommand, planImport } from '../server/commands/import-plan.ts'
import { fold } from '../server/kernel/text/plain-text.ts'
import { startTestApp, type TestApp } from './stage/app.ts'
import { databases } from './stage/servers/postgres.ts'

const { commands } = contract

/** A command of a file in short. */
const entry = (name: string, prompt = 'p', folder: string | null = null) => ({
  name,
  prompt,
  run_mode: 'insert',
  folder,
})
const file = (list: ReturnType<typeof entry>[], folders: string[] = []): CommandFile => ({
  version: 1,
  folders: folders.map((name) => ({ name })),
  commands: list,
})

const NAME = fc.oneof(
  fc.constantFrom('Disk', 'DISK', 'Disk (2)', 'Émile', '🪐'),
  fc.string({ minLength: 1, maxLength: 80 }),
)
const FILE = fc
  .record({
    folders: fc.uniqueArray(fc.constantFrom('Work', 'Home', 'Ёж'), { maxLength: 3 }),
    list: fc.array(
      fc.tuple(NAME, fc.string({ unit: 'grapheme' }), fc.constantFrom('insert', 'send', 'new'), fc.nat()),
      { maxLength: 12 },
    ),
  })
  .map(({ folders, list }): CommandFile => ({
    version: 1,
    folders: folders.map((name) => ({ name })),
    commands: list.map(([name, prompt, run_mode, at]) => ({
      name: `n${name}`.trim().slice(0, 80),
      prompt: `p${prompt}`,
      run_mode,
      folder: [...folders, null][at % (folders.length + 1)] ?? null,
    })),
  }))
const sorted = ({ version, folders, commands: list }: CommandFile) => ({
  version,
  folders: folders.map(({ name }) => name).sort(),
  commands: list.map((each) => JSON.stringify([each.folder, each.name, each.prompt, each.run_mode])).sort(),
})

describe.each(databases)('import and export of quick commands on $name', (database) => {
  let app: TestApp
  beforeAll(async () => {
    app = await startTestApp({ database })
  })
  afterAll(() => app[Symbol.asyncDispose]())

  test('what is exported is what another person gets, and importing it again changes nothing', async () => {
    let person = 0
    await fc.assert(
      fc.asyncProperty(FILE, fc.constantFrom('rename' as const, 'replace' as const), async (body, on_conflict) => {
        const client = await app.as(`traveller${person++}`)
        const first = await client.call(commands.importAll, { body, query: { on_conflict } })
        expect(first).toMatchObject({ created: body.commands.length, renamed: 0, replaced: 0, unchanged: 0 })
        const exported = await client.call(commands.exportAll)
        expect(sorted(exported)).toEqual(sorted(body))
        const again = await client.call(commands.importAll, { body: exported, query: { on_conflict } })
        expect(again).toEqual({
          ok: true,
          created: 0,
          renamed: 0,
          replaced: 0,
          unchanged: body.commands.length,
          folders_created: 0,
        })
        expect(await client.call(commands.exportAll)).toEqual(exported)
      }),
      { numRuns: 12 },
    )
  })

  test('what is there gets company or is replaced, by name and folder', async () => {
    const client = await app.as('merger')
    await client.call(commands.importAll, {
      body: file([entry('Disk', 'old'), entry('Disk', 'old', 'Work')], ['Work']),
    })
    const more = file(
      [entry('DISK', 'new'), entry('Disk', 'old', 'work'), entry('Other', 'x', 'Home')],
      ['WORK', 'Home'],
    )
    expect(await client.call(commands.importAll, { body: more })).toEqual({
      ok: true,
      created: 1,
      renamed: 1,
      replaced: 0,
      unchanged: 1,
      folders_created: 1,
    })
    expect(
      (await client.call(commands.exportAll)).commands.map(({ name, prompt, folder }) => [name, prompt, folder]),
    ).toEqual([
      ['Disk', 'old', null],
      ['Disk', 'old', 'Work'],
      ['DISK (2)', 'new', null],
      ['Other', 'x', 'Home'],
    ])
    const { items } = await client.call(commands.list)
    const result = await client.call(commands.importAll, { body: more, query: { on_conflict: 'replace' } })
    expect(result).toMatchObject({ created: 0, renamed: 0, replaced: 1, unchanged: 2, folders_created: 0 })
    const after = (await client.call(commands.list)).items
    expect(after.map(({ command_id }) => command_id)).toEqual(items.map(({ command_id }) => command_id))
    expect(after[0]).toMatchObject({ name: 'DISK', prompt: 'new', created_at: items[0]!.created_at })
  })

  test('one wrong value refuses the whole file and says where', async () => {
    const client = await app.as('wrong')
    const body = file(
      [entry('ok'), entry(' ', '', 'Nowhere'), { ...entry('x'), run_mode: 'run' }],
      ['Fine', '', 'x'.repeat(81)],
    )
    const refusal = client.call(commands.importAll, { body })
    await expect(refusal).rejects.toMatchObject({ status: 400, code: 'bad_command_import' })
    await refusal.catch(({ problem }: { problem: { errors: { path: string }[] } }) =>
      expect(problem.errors.map(({ path }) => path)).toEqual([
        'folders.1.name',
        'folders.2.name',
        'commands.1.name',
        'commands.1.prompt',
        'commands.1.folder',
        'commands.2.run_mode',
      ]),
    )
    for (const shape of [
      { ...file([]), version: 2 },
      { ...file([]), surprise: 1 },
      { version: 1, folders: [] },
      file([{ ...entry('a'), name: 1 as never }]),
    ]) {
      await expect(client.call(commands.importAll, { body: shape as CommandFile })).rejects.toMatchObject({
        status: 422,
      })
    }
    expect(await client.call(commands.exportAll)).toEqual({ version: 1, folders: [], commands: [] })
    const { events } = await client.call(contract.chat.activity)
    expect(events).toEqual([])
  })

  test('a file of up to 2 MiB is taken, a larger one is not', async () => {
    const client = await app.as('heavy')
    const heavy = (count: number) => file(Array.from({ length: count }, (_, i) => entry(`c${i}`, 'x'.repeat(20_000))))
    expect(await client.call(commands.importAll, { body: heavy(104) })).toMatchObject({ created: 104 })
    await expect(client.call(commands.importAll, { body: heavy(105) })).rejects.toMatchObject({
      status: 413,
      code: 'payload_too_large',
    })
    // Other routes keep their own, smaller bound.
    await expect(
      client.call(commands.create, { body: { name: 'a', prompt: 'x'.repeat(1_100_000) } }),
    ).rejects.toMatchObject({ status: 413 })
  })

  test('two imports of one file at once add it once', async () => {
    const client = await app.as('twice')
    const body = file(
      Array.from({ length: 50 }, (_, i) => entry(`c${i}`, 'x', 'Work')),
      ['Work'],
    )
    const all = await Promise.all(Array.from({ length: 4 }, () => client.call(commands.importAll, { body })))
    expect(all.map(({ created }) => created).sort((a, b) => b - a)).toEqual([50, 0, 0, 0])
    expect((await client.call(commands.exportAll)).commands).toHaveLength(50)
  })
})

describe('the plan of an import', () => {
  const COMMAND: fc.Arbitrary<ImportedCommand> = fc.record({
    name: fc.oneof(fc.constantFrom('a', 'A', 'a (2)', 'b', 'x'.repeat(80)), fc.string({ minLength: 1, maxLength: 80 })),
    prompt: fc.constantFrom('p', 'q'),
    run_mode: fc.constantFrom('insert', 'send'),
    folder: fc.constantFrom(null, 'f'),
  })
  const EXISTING: fc.Arbitrary<ExistingCommand[]> = fc
    .array(COMMAND, { maxLength: 10 })
    .map((list) => list.map((each, at) => ({ ...each, command_id: `cmd_${at}` })))
  const keyOf = (each: Pick<ImportedCommand, 'name' | 'folder'>) => JSON.stringify([each.folder, fold(each.name)])

  test('renaming touches nothing that is there, and gives names that nobody has', () => {
    fc.assert(
      fc.property(fc.array(COMMAND, { maxLength: 10 }), EXISTING, (imported, existing) => {
        const steps = planImport(imported, existing, 'rename')
        expect(steps).toHaveLength(imported.length)
        const taken = new Set([...imported, ...existing].map(keyOf))
        for (const step of steps) {
          expect(step.kind).not.toBe('replaced')
          if (step.kind !== 'renamed') continue
          expect([...step.command.name].length).toBeLessThanOrEqual(80)
          expect(taken.has(keyOf(step.command))).toBe(false)
          taken.add(keyOf(step.command))
        }
      }),
    )
  })

  test('replacing takes the place of each one at most once, and only where name and folder are the same', () => {
    fc.assert(
      fc.property(fc.array(COMMAND, { maxLength: 10 }), EXISTING, (imported, existing) => {
        const replaced = planImport(imported, existing, 'replace').flatMap((step) =>
          step.kind === 'replaced' ? [step] : [],
        )
        expect(new Set(replaced.map(({ command_id }) => command_id)).size).toBe(replaced.length)
        for (const { command, command_id } of replaced) {
          expect(keyOf(existing.find((each) => each.command_id === command_id)!)).toBe(keyOf(command))
        }
      }),
    )
  })

  test('numbers go on from the name that has one', () => {
    const there = [{ name: 'Disk', prompt: 'a', run_mode: 'send' as const, folder: null, command_id: 'cmd_1' }]
    const again = (name: string) => ({ name, prompt: 'b', run_mode: 'send' as const, folder: null })
    const names = planImport([again('Disk'), again('disk')], there, 'rename').map((step) =>
      'command' in step ? step.command.name : null,
    )
    expect(names).toEqual(['Disk (2)', 'disk (3)'])
  })
})
