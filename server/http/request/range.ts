import type { FastifyReply } from 'fastify'
import { AppError } from '../../kernel/app-error.ts'
import { say } from '../../kernel/sentence.ts'

/**
 * The part of a file the request asks for (RFC 9110 §14), setting the matching headers and status; null for the whole
 * file. A single range is answered; several, or one that depends on the client's copy, get the whole file, as the
 * standard allows.
 * @throws {AppError} range_not_satisfiable
 */
export function rangeOf(reply: FastifyReply, size: number): { from: number; length: number } | null {
  reply.header('accept-ranges', 'bytes')
  const { range, 'if-range': condition } = reply.request.headers
  const [, first, last] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(range ?? '') ?? []
  if (first === undefined || last === undefined || (first === '' && last === '') || condition !== undefined) return null
  if (first !== '' && last !== '' && Number(last) < Number(first)) return null
  const from = first === '' ? Math.max(0, size - Number(last)) : Number(first)
  const end = first === '' || last === '' ? size : Math.min(Number(last) + 1, size)
  if (from >= end) {
    reply.header('content-range', `bytes */${size}`)
    throw new AppError('range_not_satisfiable', say`The file has ${size} bytes, and none of them is in this range.`)
  }
  reply.code(206).header('content-range', `bytes ${from}-${end - 1}/${size}`)
  return { from, length: end - from }
}
