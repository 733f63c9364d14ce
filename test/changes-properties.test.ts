import { createHash } from 'node:crypto'
import { applyPatch } from 'diff'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { previewUndoWriteTool, undoWriteTool } from '../builtin/files/tools/undo-write.ts'
import { previewWriteTool, verifyWriteTool } from '../builtin/files/tools/write-checks.ts'
import { writeTool } from '../builtin/files/tools/write.ts'
import type { ToolContext } from '../builtin/tool.ts'
import { createModuleFiles } from '../server/files/files-for-modules.ts'
import { Files } from '../server/files/files.ts'
import { openFolderStore } from '../server/files/folder-store.ts'
import { textOf, unifiedDiff } from '../server/kernel/text/unified-diff.ts'
import { openStage, type Stage } from './stage/chat-stage.ts'
import { pieces } from './stage/documents/files-fixture.ts'
import { openFolder } from './stage/open-folder.ts'
import { databases } from './stage/servers/postgres.ts'

const sha256 = (data: Uint8Array) => createHash('sha256').update(data).digest('hex')

/** Texts that have much in common, with every kind of line end, and now and then bytes that are no text. */
const line = fc.oneof(
  fc.constantFrom('', 'one', 'two', '+three', '-four', '@@ -1 +1 @@', '\\ No newline', '\ttab'),
  fc.string({ unit: 'binary' }),
)
const text = fc
  .array(fc.tuple(line, fc.constantFrom('\n', '\n', '\r\n', '')), { maxLength: 30 })
  .map((lines) => lines.map((parts) => parts.join('')).join(''))
const content = fc.oneof(
  { weight: 9, arbitrary: text.map((each) => Buffer.from(each)) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((each) => Buffer.from(each)) },
)

/** The bytes go one way whatever the database: where every statement is a message to a server, a tenth shows that way. */
const EDITS = { sqlite: 500, postgres: 50 }

describe.each(databases)('random edits, on $name', (database) => {
  const closing = new AsyncDisposableStack()
  let stage: Stage
  let files: Files
  let user_id: string
  beforeAll(async () => {
    stage = closing.use(await openStage(database, { engine: false }))
    user_id = (await stage.member('editor')).user_id
    const store = await openFolderStore(await openFolder(closing))
    const limits = { sizeLimit: 1e6, quota: 1e8 }
    files = new Files({ database: stage.app.db, store, ...limits, onCreated: () => Promise.resolve() })
  })
  afterAll(() => closing.disposeAsync())

  test('the preview is the effect byte by byte, it is verified, and undo restores the hash', async () => {
    const verdict = { effect: 'allow' as const, reason: '' }
    const mayInRun = () => Promise.resolve({ user_id, verdict })
    const port = createModuleFiles({ files, database: stage.app.db, mayInRun })
    const [preview, write, verify] = [previewWriteTool(port), writeTool(port), verifyWriteTool(port)]
    const [previewUndo, undo] = [previewUndoWriteTool(port), undoWriteTool(port)]
    const context = (more: Partial<ToolContext>): ToolContext => ({
      signal: new AbortController().signal,
      user_id,
      run_id: 'run',
      conversation_id: '',
      tool_call_id: '',
      host_id: 'local',
      state: undefined,
      changes: [],
      change: undefined,
      progress: () => undefined,
      ...more,
    })
    await fc.assert(
      fc.asyncProperty(content, content, async (before, after) => {
        const { file_id } = await files.put({ user_id, name: 'edited.txt', bytes: pieces(before) })
        const input = { name: 'edited.txt', base64: after.toString('base64'), replaces: file_id }
        const stored = async () => {
          const all: Uint8Array[] = []
          for await (const piece of (await files.open(user_id, file_id)).stream) all.push(piece)
          return Buffer.concat(all)
        }
        const { state, parts } = (await preview.run(input, context({}))).preview!
        expect(await stored()).toEqual(before)
        const { changes } = await write.run(input, context({ state }))
        const now = await stored()
        expect(now).toEqual(after)
        const [part] = parts
        if (part!.kind === 'diff') expect(Buffer.from(patched(before.toString(), part!.text))).toEqual(now)
        else expect(before.equals(after) || textOf(before) === null || textOf(after) === null).toBe(true)
        expect((await verify.run(input, context({ changes: changes! }))).verified?.ok).toBe(true)
        const [made] = changes!
        const change = made && { ...made, tool_call_id: '' }
        const back = (await previewUndo.run({ change: 'chg' }, context({ change: change! }))).preview!
        await undo.run({ change: 'chg' }, context({ change: change!, state: back.state }))
        expect(sha256(await stored())).toBe(sha256(before))
        if (back.parts[0]!.kind === 'diff')
          expect(patched(after.toString(), back.parts[0]!.text)).toBe(before.toString())
        await files.removeForever(user_id, file_id)
      }),
      { numRuns: EDITS[database.name] },
    )
  }, 120_000)
})

function patched(before: string, diff: string): string {
  const result = applyPatch(before, `--- a\n+++ b\n${diff}`, { autoConvertLineEndings: false })
  if (result === false) throw new Error(`the diff does not fit: ${JSON.stringify({ before, diff })}`)
  return result
}

test('texts that differ in everything are replaced as a whole instead of being searched for ever', () => {
  const lines = (word: string) => Array.from({ length: 20_000 }, (_, i) => `${word} ${i}\n`).join('')
  expect(patched(lines('a'), unifiedDiff(lines('a'), lines('b')))).toBe(lines('b'))
  expect(unifiedDiff('', lines('b')).split('\n')).toHaveLength(20_002)
})
