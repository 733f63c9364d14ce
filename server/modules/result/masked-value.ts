import { maskSecrets } from './mask-secrets.ts'

/** A JSON value with every secret masked in its texts and keys; the same object if it contains none. */
export function maskedValue<T>(value: T, secrets: readonly string[]): T {
  return secrets.length === 0 ? value : (masked(value, secrets) as T)
}

function masked(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === 'string') return maskSecrets(value, secrets)
  if (typeof value === 'number') {
    const text = String(value)
    const shown = maskSecrets(text, secrets)
    return shown === text ? value : shown
  }
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) {
    const items = value.map((item) => masked(item, secrets))
    return items.every((item, i) => item === value[i]) ? value : items
  }
  const entries = Object.entries(value)
  const shown = entries.map(([key, item]) => [maskSecrets(key, secrets), masked(item, secrets)] as const)
  return shown.every(([key, item], i) => key === entries[i]![0] && item === entries[i]![1])
    ? value
    : Object.fromEntries(shown)
}
