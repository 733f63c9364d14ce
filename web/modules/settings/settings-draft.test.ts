import { describe, expect, test } from 'vitest'
import type { SettingField } from '../../../contract/modules.ts'
import { draftFault, settingsRequest, shownValue, withDraft } from './settings-draft.ts'

const base: SettingField = {
  key: 'a',
  type: 'string',
  title: 'A',
  description: '',
  required: false,
  sensitive: false,
  multiple: false,
  multiline: false,
}
const port: SettingField = { ...base, key: 'port', type: 'number', min: 1, max: 65_535 }
const dirs: SettingField = { ...base, key: 'dirs', type: 'directory', multiple: true }
const secret: SettingField = { ...base, key: 'key', sensitive: true, required: true }

describe('the draft of a module’s settings', () => {
  test('shows the value, else the default, else nothing; never a secret', () => {
    expect(shownValue(base, 'x')).toBe('x')
    expect(shownValue({ ...base, default: 'd' }, undefined)).toBe('d')
    expect(shownValue(port, 0)).toBe('0')
    expect(shownValue(dirs, ['/a'])).toEqual(['/a'])
    expect(shownValue({ ...base, type: 'boolean' }, undefined)).toBe(false)
    expect(shownValue(secret, { configured: true, updated_at: null })).toBe('')
  })

  test('what is back at what is stored is no change; a secret always is one', () => {
    const changed = withDraft(new Map(), base, 'x', 'y')
    expect([...changed]).toEqual([['a', 'y']])
    expect(withDraft(changed, base, 'x', 'x').size).toBe(0)
    expect(withDraft(new Map(), dirs, ['/a'], ['/a']).size).toBe(0)
    expect(withDraft(new Map(), secret, { configured: true, updated_at: null }, '').size).toBe(1)
    expect(withDraft(changed, base, 'x', null).size).toBe(0)
  })

  test('sends what was changed with its type, and clears what was emptied', () => {
    const drafts = new Map<string, string | boolean | string[]>([
      ['a', ''],
      ['port', ' 8,5 '],
      ['dirs', ['/a', '']],
      ['key', '$& pa$$'],
    ])
    expect(settingsRequest([base, port, dirs, secret], drafts)).toEqual({
      values: { port: 8.5, dirs: ['/a'], key: '$& pa$$' },
      clear_fields: ['a'],
    })
  })

  test('tells what is wrong with a number and what is needed', () => {
    expect(draftFault(port, '')).toBeNull()
    expect(draftFault({ ...port, required: true }, '')).toBe('required')
    expect(draftFault({ ...port, required: true, default: 1 }, '')).toBeNull()
    expect(['0x10', '1e999', 'ten', '1.000.000', '--1'].map((text) => draftFault(port, text))).toEqual(
      Array(5).fill('not_a_number'),
    )
    expect(draftFault(port, '0')).toBe('too_small')
    expect(draftFault(port, '65536')).toBe('too_large')
    expect(draftFault(port, '443')).toBeNull()
  })
})
