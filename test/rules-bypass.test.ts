import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { contract } from '../contract/index.ts'
import type { Rule } from '../contract/rules.ts'
import { openStage, say, type Stage } from './stage/chat-stage.ts'
import type { TestClient } from './stage/client.ts'
import { databases } from './stage/servers/postgres.ts'

const argv = (...tokens: unknown[]) => ({ argv: { program: '/command', args: '/args' }, tokens })
const COMMANDS = [
  argv('echo', { in: ['one', 'two'] }),
  argv('rm', '-rf', 'build'),
  argv('git', '--version'),
  argv('sleep', { min: 0, max: 0 }),
]

/** These commands run unasked; the rest asks, as without any rule. */
const RULES = COMMANDS.map((command) => ({
  subject: 'tool:system.run_command',
  effect: 'allow',
  when: [command, { at: '/deadline_s', max: 60 }],
  free: ['/cwd'],
  examples: { match: [example(command)], no_match: [{ command: 'true' }] },
})) as unknown as z.input<typeof Rule>[]

function example({ tokens }: ReturnType<typeof argv>) {
  const [command, ...args] = tokens.map((token) =>
    typeof token === 'string' ? token : 'in' in (token as object) ? (token as { in: string[] }).in[0] : '0',
  )
  return { command, args }
}

describe.each(databases)('what went past rules elsewhere asks here, on $name', (database) => {
  let stage: Stage
  let admin: TestClient
  let marker: string
  let cwd: string
  beforeAll(async () => {
    stage = await openStage(database, { engine: false })
    admin = await stage.as('admin')
    await admin.call(contract.chat.listTools)
    const { items } = await admin.call(contract.accounts.listRoles)
    const { role_id } = items.find((role) => role.admin)!
    await admin.call(contract.accounts.updateRole, { params: { role_id }, body: { rules: RULES } })
    cwd = stage.dataFolder
    marker = join(cwd, 'marker')
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  const call = (args: Record<string, unknown>) => say(admin, `/system.run_command ${JSON.stringify({ cwd, ...args })}`)

  test.each([
    { command: 'echo', args: ['one'] },
    { command: 'echo', args: ['two'], shell: false, deadline_s: 30 },
    { command: 'rm', args: ['-rf', 'build'] },
    { command: 'sleep', args: ['0'] },
  ])('what the rules name runs: %j', async (args) => {
    expect(await call(args)).toMatchObject({ approvals: [], tool_calls_executed: [{ tool: 'run_command' }] })
  })

  const touch = () => `touch ${marker}`
  test.each<[string, () => Record<string, unknown>]>([
    ['shell text', () => ({ command: `echo one; ${touch()}`, shell: true })],
    ['the named words as shell text', () => ({ command: 'echo one', shell: true })],
    ['shell text in one word', () => ({ command: `echo one; ${touch()}` })],
    ['a substitution', () => ({ command: 'echo', args: [`$(${touch()})`] })],
    ['$IFS', () => ({ command: `echo$IFS$(touch$IFS${marker})`, shell: true })],
    ['quoting', () => ({ command: 'e"c"ho', args: ['one'], shell: true })],
    ['sed that executes', () => ({ command: 'sed', args: [`1e ${touch()}`, '/etc/hostname'] })],
    ['a variable before the program', () => ({ command: 'TZ="$HOME"', args: ['rm', '-rf', 'build'] })],
    ['a wrapper', () => ({ command: 'env', args: ['rm', '-rf', 'build'] })],
    ['a shell as program', () => ({ command: 'sh', args: ['-c', touch()] })],
    ['51 chained commands', () => ({ command: `${'echo one; '.repeat(50)}${touch()}`, shell: true })],
    ['more words than are judged', () => ({ command: 'echo', args: Array.from({ length: 900 }, () => 'one') })],
    [
      'words after those that are named',
      () => ({ command: 'rm', args: ['-rf', 'build', '--no-preserve-root', marker] }),
    ],
    ['a slash after a named word', () => ({ command: 'rm', args: ['-rf', 'build/'] })],
    ['git -C', () => ({ command: 'git', args: ['-C', cwd, '--version'] })],
    ['git --exec-path', () => ({ command: 'git', args: [`--exec-path=${cwd}`, '--version'] })],
    ['another program of the name', () => ({ command: './echo', args: ['one'] })],
    ['capitals', () => ({ command: 'ECHO', args: ['one'] })],
    ['an invisible character', () => ({ command: 'echo', args: ['one\u200b'] })],
    ['minus zero', () => ({ command: 'sleep', args: ['-0'] })],
    ['a long integer', () => ({ command: 'sleep', args: ['0.00000000000000000000000001'] })],
    ['an argument that no rule names', () => ({ command: 'echo', args: ['one'], stdin: 'x' })],
    ['more time than the rule gives', () => ({ command: 'echo', args: ['one'], deadline_s: 61 })],
  ])('%s', async (_what, args) => {
    expect(await call(args())).toMatchObject({ approvals: [{ tool: 'run_command' }], tool_calls_executed: [] })
    expect(existsSync(marker)).toBe(false)
  })

  test('what the tool does not take is refused, not judged', async () => {
    const proto = `/system.run_command {"command":"echo","args":["one"],"__proto__":{"shell":true},"cwd":${JSON.stringify(cwd)}}`
    expect(await say(admin, proto)).toMatchObject({ approvals: [], tool_calls_executed: [] })
    const endless = `/system.run_command {"command":"echo","args":["one"],"deadline_s":1e400}`
    expect(await say(admin, endless)).toMatchObject({ approvals: [], tool_calls_executed: [] })
  })
})
