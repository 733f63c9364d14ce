import { beforeAll, expect, test } from 'vitest'
import english from '../locales/en.json' with { type: 'json' }
import { takeTexts } from '../text/i18n.ts'
import { figureText } from './figure-text.ts'

const NOW = Date.parse('2026-05-01T12:07:30Z')
beforeAll(() => takeTexts(english))

test('a figure comes with its day: a line for each quarter of an hour, empty where nothing was measured', () => {
  const text = figureText(
    { name: 'machine.cpu', value: '93%', note: 'mean 41%', line: { values: [0.2, null, 0.93], most: 1 } },
    NOW,
  )
  expect(text).toBe(
    'This machine: CPU 93%\nmean 41%\n2026-05-01T12:07:30.000Z\n\ntime\tCPU\n' +
      '2026-05-01T11:30Z\t0.2\n2026-05-01T11:45Z\t\n2026-05-01T12:00Z\t0.93\n',
  )
})

test('one that is not measured is what it is', () => {
  const text = figureText({ name: 'machine.backup', value: 'yesterday', note: '' }, NOW)
  expect(text).toBe('This machine: Last backup yesterday\n2026-05-01T12:07:30.000Z\n')
})
