import { t } from '../text/i18n.ts'
import type { ArgumentField } from './argument-fields.ts'

/** What is wrong with the value of a field, or null. */
export function argumentProblem({ kind, required, choices, numbers }: ArgumentField, value: string): string | null {
  if (value.trim() === '') return required ? t('tool_form.missing') : null
  switch (kind) {
    case 'integer':
      return /^[+-]?\d+$/.test(value.trim()) && Number.isSafeInteger(Number(value)) ? null : t('tool_form.not_integer')
    case 'number':
      return Number.isFinite(Number(value)) ? null : t('tool_form.not_number')
    case 'boolean':
      return /^(true|false|yes|no|on|off)$/i.test(value) ? null : t('tool_form.not_boolean')
    case 'choice':
      return choices.some((choice) => choice.toLowerCase() === value.toLowerCase())
        ? null
        : t('tool_form.not_choice', { choices: choices.join(', ') })
    case 'list':
      return numbers && value.split('\n').some((line) => !Number.isFinite(Number(line)))
        ? t('tool_form.not_number')
        : null
    case 'json':
      return isJson(value) ? null : t('tool_form.not_json')
    default:
      return null
  }
}

function isJson(value: string): boolean {
  try {
    JSON.parse(value)
    return true
  } catch {
    return false
  }
}
