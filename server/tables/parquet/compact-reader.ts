const STRUCT = 12
/** No structure of the format nests deeper. */
const DEPTH = 16

/** Reads as much of Thrift's compact protocol as is requested. @throws {RangeError} where it ends too early */
export class CompactReader {
  readonly bytes: Buffer
  at = 0

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }

  /** Iterates over fields: `read` takes the value of a field that it knows and says so; others are skipped. */
  struct(read: (id: number, type: number) => boolean, depth = 0): void {
    let id = 0
    for (;;) {
      const head = this.#byte()
      if (head === 0) return
      id = head < 16 ? this.int() : id + (head >> 4)
      if (!read(id, head & 15)) this.#skip(head & 15, depth)
    }
  }

  /** Iterates over the structures of a list. */
  structs(read: (id: number, type: number) => boolean): void {
    this.#list((type) => (type === STRUCT ? this.struct(read) : this.#skipElement(type, 0)))
  }

  /** A signed number, exact up to 2^53. */
  int(): number {
    const number = this.#varint()
    return number % 2 === 0 ? number / 2 : -(number + 1) / 2
  }

  #varint(): number {
    let number = 0
    for (let factor = 1; ; factor *= 128) {
      const byte = this.#byte()
      number += (byte & 127) * factor
      if (byte < 128) return number
    }
  }

  #byte(): number {
    return this.bytes.readUInt8(this.at++)
  }

  #list(each: (type: number) => void): void {
    const head = this.#byte()
    const length = head >> 4 === 15 ? this.#varint() : head >> 4
    for (let i = 0; i < length; i++) each(head & 15)
  }

  #skipElement(type: number, depth: number): void {
    if (type <= 2) this.#byte()
    else this.#skip(type, depth)
  }

  #skip(type: number, depth: number): void {
    if (depth > DEPTH) throw new RangeError('nested too deeply')
    // Booleans are encoded in the type itself.
    if (type === 1 || type === 2) return
    else if (type === 3) this.at++
    else if (type <= 6) this.#varint()
    else if (type === 7) this.at += 8
    else if (type === 8) {
      const length = this.#varint()
      this.at += length
    } else if (type === STRUCT) this.struct(() => false, depth + 1)
    else if (type === 9 || type === 10) this.#list((of) => this.#skipElement(of, depth + 1))
    else throw new RangeError('no such type')
    if (this.at > this.bytes.length) throw new RangeError('ends too early')
  }
}
