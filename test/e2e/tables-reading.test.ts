import type { Locator } from 'playwright-core'
import { expect, test } from 'vitest'
import { contract } from '../../contract/index.ts'
import { startTestApp } from '../stage/app.ts'
import { openBrowser } from '../stage/browser.ts'
import { legacyBytes } from '../stage/documents/legacy-bytes.ts'
import { openVisitor } from './visitor.ts'

const REPORT = legacyBytes('windows-1251', 'Отчёт;\n\nтовар;цена\nГайка;12,5\nБолт;нет\n')

test('how a file is read is shown, chosen, and given back', async () => {
  await using app = await startTestApp()
  const admin = await app.as('admin')
  const upload = { headers: { 'x-file-name': 'report.csv' }, body: Buffer.from(REPORT) }
  const { file_id } = (await admin.call(contract.files.upload, upload)).file
  await using browser = await openBrowser()
  await using visitor = await openVisitor(browser, app.url)
  visitor.expectMessage(/\/api\/auth\/session\b/)
  await visitor.signIn('admin')
  const { page } = visitor
  const button = (name: string): Locator => page.getByRole('button', { name, exact: true })
  const grid = page.getByRole('grid', { name: 'report.csv', exact: true })
  await page.goto(`/files?f=${file_id}`)
  await button('How this file is read').click()
  const dialog = page.getByRole('dialog', { name: 'How this file is read' })
  await dialog.getByText('this is a guess').waitFor()
  const field = (name: string): Locator => dialog.getByRole('combobox', { name, exact: true })
  expect(await field('Encoding').locator('option').first().textContent()).toBe('Automatic: windows-1251 (Cyrillic)')
  await visitor.expectAccessible()
  await field('Column names').selectOption('2')
  await dialog.getByRole('button', { name: 'Apply' }).click()
  await dialog.waitFor({ state: 'detached' })
  await grid.getByText('Гайка').waitFor()
  await grid.getByRole('columnheader', { name: 'цена' }).waitFor()

  await button('How this file is read').click()
  await field('цена').selectOption('number')
  await dialog.getByRole('button', { name: 'Apply' }).click()
  await page.getByRole('status').filter({ hasText: 'do not fit the chosen type' }).waitFor()
  // A row that is not there: said in the dialog, and nothing changes.
  visitor.expectMessage(/\/table\/reading/)
  await button('How this file is read').click()
  expect(await field('цена').inputValue()).toBe('number')
  await field('Column names').selectOption('20')
  await dialog.getByRole('button', { name: 'Apply' }).click()
  await dialog.getByRole('alert').filter({ hasText: 'has no row 20' }).waitFor()
  await page.setViewportSize({ width: 360, height: 780 })
  await visitor.expectAccessible()
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
  await page.setViewportSize({ width: 1280, height: 800 })
  await dialog.getByRole('button', { name: 'Reset to automatic' }).click()
  await page.getByRole('status').filter({ hasText: 'which is a guess' }).waitFor()
})
