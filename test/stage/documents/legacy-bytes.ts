const TABLES = new Map<string, Map<string, readonly number[]>>()

/** Text in an encoding from before UTF-8, by asking the decoder what one byte or two of them mean. */
export function legacyBytes(encoding: string, text: string): Buffer {
  const table = TABLES.get(encoding) ?? tableOf(encoding)
  TABLES.set(encoding, table)
  return Buffer.from(
    Array.from(text).flatMap((character) => {
      const bytes = table.get(character)
      if (bytes === undefined) throw new Error(`${encoding} has no ${character}`)
      return bytes
    }),
  )
}

function tableOf(encoding: string): Map<string, readonly number[]> {
  const decoder = new TextDecoder(encoding, { fatal: true })
  const table = new Map<string, readonly number[]>()
  const add = (bytes: readonly number[]): void => {
    try {
      const text = decoder.decode(Uint8Array.from(bytes))
      if (Array.from(text).length === 1 && !table.has(text)) table.set(text, bytes)
    } catch {
      // These bytes mean nothing.
    }
  }
  for (let byte = 0; byte < 256; byte++) add([byte])
  if (/^(shift_jis|euc-jp|gb18030|big5|euc-kr)$/.test(encoding))
    for (let lead = 0x81; lead < 0xff; lead++) for (let trail = 0x40; trail < 0xff; trail++) add([lead, trail])
  return table
}
