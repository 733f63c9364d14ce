import { crc32, deflateRawSync } from 'node:zlib'

/** One entry as it should stand in the archive; what is left out is the truth. */
export interface ZipEntry {
  name: string | Buffer
  data?: string | Buffer
  /** Unix mode with its kind, as 0o100644. */
  mode?: number
  store?: boolean
  /** Stored under this method's number, whatever the data is. */
  method?: number
  flags?: number
  localFlags?: number
  localName?: string
  size?: number
  compressedSize?: number
  localSize?: number
  crc?: number
  extra?: Buffer
  /** Packed data as it is written. */
  packed?: Buffer
  /** Written behind the data, as a data descriptor is. */
  behind?: Buffer
  /** Where the directory says that it is. */
  offset?: number
}

/** How the archive around the entries differs from what it should be. */
export interface ZipLies {
  before?: Buffer
  /** Between the entries and the directory. */
  between?: Buffer
  /** Between the directory and the end record. */
  behindDirectory?: Buffer
  /** Behind everything. */
  behind?: Buffer
  comment?: Buffer
  commentLength?: number
  count?: number
  countOnDisk?: number
  disk?: number
  directorySize?: number
  directoryOffset?: number
  /** Writes ZIP64 records; `lie` changes the number of entries in them, `plain` leaves the numbers in the plain record. */
  zip64?: { lie?: number; plain?: boolean }
}

/** An archive, byte by byte: tests need ones that no library writes. */
export function zipBytes(entries: readonly ZipEntry[], lies: ZipLies = {}): Buffer {
  const parts: Buffer[] = [lies.before ?? Buffer.alloc(0)]
  const directory: Buffer[] = []
  let at = parts[0]!.length
  const add = (part: Buffer): void => {
    parts.push(part)
    at += part.length
  }
  for (const entry of entries) {
    const name = Buffer.from(entry.name as string)
    const data = Buffer.from(entry.data ?? '')
    const method = entry.method ?? (entry.store === true || data.length === 0 ? 0 : 8)
    const packed = entry.packed ?? (method === 8 ? deflateRawSync(data) : data)
    const crc = entry.crc ?? crc32(data)
    const [size, compressedSize] = [entry.size ?? data.length, entry.compressedSize ?? packed.length]
    const extra = entry.extra ?? Buffer.alloc(0)
    const flags = entry.flags ?? 0x800
    const offset = at
    const localName = entry.localName === undefined ? name : Buffer.from(entry.localName)
    const local = Buffer.alloc(30)
    local.writeUInt32LE(0x04034b50, 0)
    local.writeUInt16LE(20, 4)
    local.writeUInt16LE(entry.localFlags ?? flags, 6)
    local.writeUInt16LE(method, 8)
    const streamed = (flags & 8) !== 0
    local.writeUInt32LE(streamed ? 0 : crc, 14)
    local.writeUInt32LE(streamed ? 0 : compressedSize, 18)
    local.writeUInt32LE(streamed ? 0 : (entry.localSize ?? size), 22)
    local.writeUInt16LE(localName.length, 26)
    for (const part of [local, localName, packed, entry.behind ?? Buffer.alloc(0)]) add(part)
    const central = Buffer.alloc(46)
    central.writeUInt32LE(0x02014b50, 0)
    central.writeUInt16LE((3 << 8) | 20, 4)
    central.writeUInt16LE(20, 6)
    central.writeUInt16LE(flags, 8)
    central.writeUInt16LE(method, 10)
    central.writeUInt32LE(crc, 16)
    central.writeUInt32LE(compressedSize, 20)
    central.writeUInt32LE(size, 24)
    central.writeUInt16LE(name.length, 28)
    central.writeUInt16LE(extra.length, 30)
    const folder = name.at(-1) === 0x2f
    central.writeUInt32LE(((entry.mode ?? (folder ? 0o040755 : 0o100644)) * 0x10000) >>> 0, 38)
    central.writeUInt32LE(entry.offset ?? offset, 42)
    directory.push(central, name, extra)
  }
  if (lies.between !== undefined) add(lies.between)
  const start = at
  for (const part of directory) add(part)
  const length = at - start
  if (lies.behindDirectory !== undefined) add(lies.behindDirectory)
  if (lies.zip64 !== undefined)
    for (const part of largeRecords(at, start, length, lies.zip64.lie ?? entries.length)) add(part)
  const large = lies.zip64 !== undefined && lies.zip64.plain !== true
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(lies.disk ?? 0, 4)
  end.writeUInt16LE(large ? 0xffff : (lies.countOnDisk ?? lies.count ?? entries.length), 8)
  end.writeUInt16LE(large ? 0xffff : (lies.count ?? entries.length), 10)
  end.writeUInt32LE(large ? 0xffffffff : (lies.directorySize ?? length), 12)
  end.writeUInt32LE(large ? 0xffffffff : (lies.directoryOffset ?? start), 16)
  end.writeUInt16LE(lies.commentLength ?? lies.comment?.length ?? 0, 20)
  for (const part of [end, lies.comment ?? Buffer.alloc(0), lies.behind ?? Buffer.alloc(0)]) add(part)
  return Buffer.concat(parts)
}

/** What stands behind the data of an entry whose sizes were not known before. */
export function sizesBehind(data: string, packed: Buffer, marked = true): Buffer {
  const record = Buffer.alloc(16)
  record.writeUInt32LE(0x08074b50, 0)
  record.writeUInt32LE(crc32(data), 4)
  record.writeUInt32LE(packed.length, 8)
  record.writeUInt32LE(Buffer.byteLength(data), 12)
  return marked ? record : record.subarray(4)
}

function largeRecords(at: number, start: number, length: number, count: number): Buffer[] {
  const record = Buffer.alloc(56)
  record.writeUInt32LE(0x06064b50, 0)
  record.writeBigUInt64LE(44n, 4)
  record.writeBigUInt64LE(BigInt(count), 24)
  record.writeBigUInt64LE(BigInt(count), 32)
  record.writeBigUInt64LE(BigInt(length), 40)
  record.writeBigUInt64LE(BigInt(start), 48)
  const locator = Buffer.alloc(20)
  locator.writeUInt32LE(0x07064b50, 0)
  locator.writeBigUInt64LE(BigInt(at), 8)
  locator.writeUInt32LE(1, 16)
  return [record, locator]
}
