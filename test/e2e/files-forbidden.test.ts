import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../../contract/index.ts'
import { startTestApp, type TestApp } from '../stage/app.ts'
import { openBrowser } from '../stage/browser.ts'
import { PASSWORD } from '../stage/people.ts'
import { openVisitor } from './visitor.ts'

describe('files and tables under the rules of a role', () => {
  const opened = new AsyncDisposableStack()
  let app: TestApp
  let browser: Browser

  beforeAll(async () => {
    app = opened.use(await startTestApp())
    await app.as('admin')
    browser = await openBrowser()
    opened.defer(() => browser.close())
  })
  afterAll(() => opened.disposeAsync())

  test('what a role forbids, or asks for, is said where it is met', async () => {
    const admin = await app.as('admin')
    const { role } = await admin.call(contract.accounts.createRole, { body: { name: 'readers' } })
    const setRules = (rules: { subject: string; effect: 'allow' | 'ask' | 'deny' }[]): Promise<unknown> =>
      admin.call(contract.accounts.updateRole, { params: { role_id: role.role_id }, body: { rules } })
    await setRules((['files.read', 'files.create'] as const).map((subject) => ({ subject, effect: 'allow' })))
    await admin.call(contract.accounts.createUser, {
      body: { username: 'rita', password: PASSWORD, role_id: role.role_id },
    })
    const client = await app.signIn('rita')
    const stored = await client.call(contract.files.upload, {
      headers: { 'x-file-name': 'own.csv' },
      body: 'a,b\n1,2\n3,4\n',
    })
    const own = stored.file.file_id
    await setRules([
      { subject: 'files.read', effect: 'allow' },
      { subject: 'files.create', effect: 'deny' },
      { subject: 'files.delete', effect: 'deny' },
    ])
    await using rita = await openVisitor(browser, app.url)
    rita.expectMessage(/\/api\/(auth\/session|files|chat\/tables)/)
    await rita.signIn('rita')
    await rita.page.goto(`/files?f=${own}`)
    await rita.page.getByRole('grid', { name: 'own.csv' }).waitFor()
    await rita.page.getByText('Your role cannot add files.').waitFor()
    // The stored file can be asked about; a selection would become a new one.
    await rita.page.getByRole('grid', { name: 'own.csv' }).focus()
    await rita.page.keyboard.press('Control+a')
    await rita.page.getByRole('button', { name: 'Copy selection' }).waitFor()
    expect(await rita.page.getByRole('button', { name: 'Ask about this' }).count()).toBe(1)
    expect(await rita.page.getByRole('button', { name: 'Upload files' }).count()).toBe(0)
    expect(await rita.page.getByRole('button', { name: 'Delete own.csv' }).count()).toBe(0)
    await rita.expectAccessible()
    await setRules([{ subject: 'files.read', effect: 'ask' }])
    await rita.page.reload()
    await rita.page.getByRole('alert').filter({ hasText: 'An administrator can change the rule' }).first().waitFor()
    await rita.expectAccessible()
    await setRules([{ subject: 'files.read', effect: 'deny' }])
    await rita.page.reload()
    await rita.page.getByRole('alert').filter({ hasText: 'The files could not be loaded' }).waitFor()
    await rita.expectAccessible()
  })
})
