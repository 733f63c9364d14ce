import { xmlText } from '../sheet/xml-text.ts'

/** The text of a cell: entities resolved, and `_x0041_` as the character that it stands for. */
export function cellText(raw: string, escaped: boolean): string {
  const text = escaped ? xmlText(raw) : raw
  if (!text.includes('_x')) return text
  return text.replace(/_x([0-9a-f]{4})_/gi, (_whole, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}
