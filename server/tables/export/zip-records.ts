/** One entry of an archive, as listed in its directory. Times are those of `made`, in UTC. */
export interface ZipEntry {
  readonly name: string
  readonly made: Date
  readonly offset: number
  readonly crc: number
  /** Bytes as stored, and before compression. */
  readonly packed: number
  readonly size: number
}

/** Sizes follow the data; names are UTF-8. */
const FLAGS = 0x0808
const DEFLATED = 8
const MAX_32 = 0xffff_ffff
const VERSION = 20
const VERSION_64 = 45

/** The header before the data of an entry. Its sizes are not known yet: they follow the data. */
export function localHeader(name: string, made: Date): Buffer {
  const label = Buffer.from(name)
  const record = Buffer.alloc(30)
  record.writeUInt32LE(0x04034b50, 0)
  record.writeUInt16LE(VERSION, 4)
  record.writeUInt16LE(FLAGS, 6)
  record.writeUInt16LE(DEFLATED, 8)
  record.writeUInt32LE(dosTime(made), 10)
  record.writeUInt16LE(label.length, 26)
  return Buffer.concat([record, label])
}

/** The record after the data. Spreadsheet readers disagree on 64-bit sizes here: no entry may need them. */
export function dataDescriptor({ crc, packed, size }: Pick<ZipEntry, 'crc' | 'packed' | 'size'>): Buffer {
  const record = Buffer.alloc(16)
  record.writeUInt32LE(0x08074b50, 0)
  record.writeUInt32LE(crc, 4)
  record.writeUInt32LE(packed, 8)
  record.writeUInt32LE(size, 12)
  return record
}

/** The directory and the end of an archive whose directory begins at `start`; with 64-bit records beyond 4 GiB. */
export function directory(entries: readonly ZipEntry[], start: number): Buffer {
  const records = entries.map(directoryRecord)
  const size = records.reduce((sum, { length }) => sum + length, 0)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(entries.length, 8)
  end.writeUInt16LE(entries.length, 10)
  end.writeUInt32LE(size, 12)
  end.writeUInt32LE(Math.min(start, MAX_32), 16)
  return Buffer.concat([...records, ...(start < MAX_32 ? [] : [end64(entries.length, size, start)]), end])
}

function directoryRecord(entry: ZipEntry): Buffer {
  const label = Buffer.from(entry.name)
  const far = entry.offset >= MAX_32
  const record = Buffer.alloc(46)
  record.writeUInt32LE(0x02014b50, 0)
  record.writeUInt16LE(far ? VERSION_64 : VERSION, 4)
  record.writeUInt16LE(far ? VERSION_64 : VERSION, 6)
  record.writeUInt16LE(FLAGS, 8)
  record.writeUInt16LE(DEFLATED, 10)
  record.writeUInt32LE(dosTime(entry.made), 12)
  record.writeUInt32LE(entry.crc, 16)
  record.writeUInt32LE(entry.packed, 20)
  record.writeUInt32LE(entry.size, 24)
  record.writeUInt16LE(label.length, 28)
  record.writeUInt16LE(far ? 12 : 0, 30)
  record.writeUInt32LE(Math.min(entry.offset, MAX_32), 42)
  if (!far) return Buffer.concat([record, label])
  const extra = Buffer.alloc(12)
  extra.writeUInt16LE(1, 0)
  extra.writeUInt16LE(8, 2)
  extra.writeBigUInt64LE(BigInt(entry.offset), 4)
  return Buffer.concat([record, label, extra])
}

function end64(count: number, size: number, start: number): Buffer {
  const record = Buffer.alloc(76)
  record.writeUInt32LE(0x06064b50, 0)
  record.writeBigUInt64LE(44n, 4)
  record.writeUInt16LE(VERSION_64, 12)
  record.writeUInt16LE(VERSION_64, 14)
  record.writeBigUInt64LE(BigInt(count), 24)
  record.writeBigUInt64LE(BigInt(count), 32)
  record.writeBigUInt64LE(BigInt(size), 40)
  record.writeBigUInt64LE(BigInt(start), 48)
  record.writeUInt32LE(0x07064b50, 56)
  record.writeBigUInt64LE(BigInt(start + size), 64)
  record.writeUInt32LE(1, 72)
  return record
}

/** Date and time in 32 bits, in steps of two seconds, from 1980 on. */
function dosTime(at: Date): number {
  const year = Math.min(Math.max(at.getUTCFullYear() - 1980, 0), 127)
  const date = (year << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate()
  const time = (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1)
  return ((date << 16) | time) >>> 0
}
