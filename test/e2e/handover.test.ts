import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../../contract/index.ts'
import { openBrowser } from '../stage/browser.ts'
import { openStage, type Stage } from '../stage/chat-stage.ts'
import { PASSWORD } from '../stage/people.ts'
import { databases } from '../stage/servers/postgres.ts'
import { pictures } from './pictures.ts'
import { expectFits, lastAnswer, messageBox, openVisitor, say, type Visitor } from './visitor.ts'

describe('a conversation is handed over', () => {
  const opened = new AsyncDisposableStack()
  let stage: Stage
  let browser: Browser
  let mia: Visitor
  let lea: Visitor

  beforeAll(async () => {
    stage = opened.use(await openStage(databases[0]!))
    const admin = await stage.as('admin')
    const { items } = await admin.call(contract.accounts.listRoles)
    const { role_id } = items.find(({ name }) => name === 'user')!
    for (const [username, display_name] of [
      ['mia', 'Mia Sommer'],
      ['lea', 'Lea Brandt'],
    ] as const)
      await admin.call(contract.accounts.createUser, { body: { username, display_name, password: PASSWORD, role_id } })
    browser = await openBrowser()
    opened.defer(() => browser.close())
    mia = opened.use(await openVisitor(browser, stage.url))
    lea = opened.use(await openVisitor(browser, stage.url, { phone: true, dark: true }))
    for (const visitor of [mia, lea]) visitor.expectMessage(/\/api\/auth\/session\b/)
    await Promise.all([mia.signIn('mia'), lea.signIn('lea')])
  })
  afterAll(() => opened.disposeAsync())

  test('one offers it, the other takes it over on a phone and goes on; the first only reads', async () => {
    stage.play('the pump', [[{ text: 'The pump is loud.' }]])
    stage.play('and now', [[{ text: 'It is quiet again.' }]])
    const { page } = mia
    await page.goto('/chat?new=true')
    await messageBox(page).waitFor()
    await say(page, 'What about the pump?')
    await (await lastAnswer(page)).getByText('The pump is loud.').waitFor()

    const openDialog = async () => {
      await page.getByRole('link', { name: /What about the pump/ }).hover()
      await page.getByRole('button', { name: /What about the pump/ }).click()
      await page.getByRole('menuitem', { name: 'Hand over…' }).click()
      return page.getByRole('dialog', { name: 'Hand the conversation over' })
    }
    const dialog = await openDialog()
    await dialog.getByRole('combobox', { name: 'Username' }).fill('leah')
    mia.expectMessage(/400/)
    await dialog.getByRole('button', { name: 'Offer' }).click()
    await dialog.getByText('Nobody with this username can take it over.').waitFor()
    await dialog.getByRole('combobox', { name: 'Username' }).fill('lea')
    await dialog.getByRole('textbox', { name: 'Note (optional)' }).fill('Please watch it tonight.')
    await expectFits(mia)
    await pictures(page, 'handover-offer')
    await dialog.getByRole('button', { name: 'Offer' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.goto('/approvals?view=others')
    const offered = page.getByRole('region', { name: 'Conversations that you offer' })
    await offered.getByText('lea has not answered yet').waitFor()
    await expectFits(mia)
    await offered.getByRole('link', { name: /What about the pump/ }).click()
    await (await lastAnswer(page)).getByText('The pump is loud.').waitFor()

    await lea.page.goto('/approvals?view=others')
    const offer = lea.page.getByRole('region', { name: 'Conversations offered to you' })
    await offer.getByRole('heading', { name: /What about the pump/ }).waitFor()
    await offer.getByText('Mia Sommer hands this conversation over to you.').waitFor()
    await offer.getByText('Please watch it tonight.').waitFor()
    await offer.getByText('2 messages').waitFor()
    await expectFits(lea)
    await pictures(lea.page, 'handover-offered')
    await offer.getByRole('button', { name: /Take over/ }).tap()
    await (await lastAnswer(lea.page)).getByText('The pump is loud.').waitFor()
    await lea.page.getByText('From the conversation that was handed over').first().waitFor()
    await lea.page.getByText('Mia Sommer handed this conversation over and wrote it.').waitFor()
    await expectFits(lea)
    await pictures(lea.page, 'handover-copy')
    await say(lea.page, 'and now?')
    await (await lastAnswer(lea.page)).getByText('It is quiet again.').waitFor()

    // Without a reload: the event wakes her page.
    await page.getByText('Handed over to Lea Brandt').waitFor()
    expect(await messageBox(page).count()).toBe(0)
    expect(await page.getByText('It is quiet again.').count()).toBe(0)
    expect(await page.getByRole('button', { name: /Regenerate|Edit message/ }).count()).toBe(0)
    await expectFits(mia)
    await pictures(page, 'handover-original')
  })

  test('an offer that is withdrawn leaves the other page', async () => {
    const client = await stage.signIn('mia')
    const { conversation_id } = await client.call(contract.chat.reset, {})
    const { handover } = await client.call(contract.chat.offerHandover, {
      params: { conversation_id },
      body: { username: 'lea' },
    })
    await lea.page.goto('/approvals?view=others')
    const decline = lea.page.getByRole('button', { name: /Decline/ })
    await decline.waitFor()
    await client.call(contract.chat.withdrawHandover, { params: { handover_id: handover.handover_id } })
    await decline.waitFor({ state: 'detached' })
    await client.call(contract.chat.offerHandover, { params: { conversation_id }, body: { username: 'lea' } })
    await decline.waitFor()
    await decline.tap()
    await decline.waitFor({ state: 'detached' })
    const { items } = await client.call(contract.chat.listHandovers, { query: {} })
    expect(items.map(({ status }) => status).slice(0, 2)).toEqual(['declined', 'withdrawn'])
  })
})
