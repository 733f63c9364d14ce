import { expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { startTestApp } from './stage/app.ts'

test('rules that match no tool are saved, and the answer says so', async () => {
  await using app = await startTestApp()
  const admin = await app.as('admin')
  // Which tools there are is known once the modules are up.
  await admin.call(contract.chat.listTools)
  const allow = (subject: string) => ({ subject, effect: 'allow' as const })
  const rules = [
    'tool:system.run_command',
    'tool:system.*',
    'tool:system.RUN_COMMAND',
    'tool:nosuch.*',
    'tool:nosuch.walk',
    'files.read',
  ].map(allow)
  const made = await admin.call(contract.accounts.createRole, { body: { name: 'typing', rules } })
  expect(made.role.rules).toHaveLength(rules.length)
  expect(made.warnings.map(({ subject }) => subject).sort()).toEqual([
    'tool:nosuch.*',
    'tool:nosuch.walk',
    'tool:system.RUN_COMMAND',
  ])
  expect(made.warnings.find(({ subject }) => subject === 'tool:system.RUN_COMMAND')?.message).toBe(
    'The module system has no tool RUN_COMMAND, so the rule for tool:system.RUN_COMMAND has no effect. Names are case-sensitive.',
  )
  const { role_id } = made.role
  const change = (body: { rules: typeof rules }) =>
    admin.call(contract.accounts.updateRole, { params: { role_id }, body })
  expect((await change({ rules: [allow('tool:sql.Query')] })).warnings).toMatchObject([{ subject: 'tool:sql.Query' }])
  expect((await change({ rules: [allow('tool:sql.query')] })).warnings).toEqual([])
  // Its tools are known while it does not run, too.
  await admin.call(contract.modules.disable, { params: { module_name: 'sql' } })
  expect((await change({ rules: [allow('tool:sql.query')] })).warnings).toEqual([])
})
