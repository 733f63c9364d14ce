import { execFile } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'

const run = promisify(execFile)
const SOURCE = (path: string) => JSON.stringify(join(import.meta.dirname, '../server/modules', path))
/** Nobody: root may read and write what is closed. */
const PLAIN_USER = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'reeve-folders-'))
  if (PLAIN_USER.uid !== undefined) chownSync(folder, PLAIN_USER.uid, PLAIN_USER.gid)
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** What a module may leave in its data folder. */
const LEFT = {
  'a folder that nobody may open': `fs.mkdirSync('a/b/c', { recursive: true }); fs.writeFileSync('a/b/c/x', 'x'); fs.chmodSync('a/b', 0)`,
  'folders deeper than any path': `for (let i = 0; i < 300; i++) { fs.mkdirSync('d'.repeat(50)); process.chdir('d'.repeat(50)) }; fs.writeFileSync('x', 'x')`,
  'names that are no text': `fs.mkdirSync(Buffer.from([0xff, 0xfe])); fs.writeFileSync(Buffer.from([0xff, 0xfe, 0x2f, 0x80]), 'x'); fs.symlinkSync('/', 'root')`,
}

async function asPlainUser(program: string): Promise<unknown> {
  const args = ['--input-type=module', '--disable-warning=ExperimentalWarning', '-e', program]
  const { stdout } = await run(process.execPath, args, { ...PLAIN_USER, env: {}, cwd: '/' })
  return JSON.parse(stdout)
}

function program(leave: string, question: string): string {
  const data = JSON.stringify(join(folder, 'data'))
  return `
    import fs from 'node:fs'
    import { removeTree } from ${SOURCE('bundle/archive/remove-tree.ts')}
    import { diskUse } from ${SOURCE('process/disk-use.ts')}
    const data = ${data}
    fs.mkdirSync(data); process.chdir(data)
    ${leave}
    process.chdir('/')
    const result = await ${question}
    console.log(JSON.stringify(String(result)))`
}

test.each(Object.entries(LEFT))('%s does not keep a data folder from being removed', async (_what, leave) => {
  expect(await asPlainUser(program(leave, `removeTree(data).then(() => 'removed', String)`))).toBe('removed')
  expect(existsSync(join(folder, 'data'))).toBe(false)
})

test.each(Object.entries(LEFT).slice(0, 2))('%s hides nothing from the limit of its folder', async (_what, leave) => {
  expect(await asPlainUser(program(leave, `diskUse(data, 1e9)`))).toBe('Infinity')
})

test('names that are no text count like others', async () => {
  const leave = `fs.mkdirSync(Buffer.from([0xff])); fs.writeFileSync(Buffer.from([0xff, 0x2f, 0xfe]), Buffer.alloc(1e6, 1))`
  expect(Number(await asPlainUser(program(leave, `diskUse(data, 1e9)`)))).toBeGreaterThan(900_000)
})
