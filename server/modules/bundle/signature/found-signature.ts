import type { Signature } from '../../../../contract/modules.ts'
import { type PackedSentence, quoted, Sentence } from '../../../kernel/sentence.ts'

/** What was found out about a bundle's signature. */
export interface FoundSignature extends Omit<Signature, 'detail'> {
  readonly detail: Sentence
}

/** The signature with its verdict in a language. */
export function signatureIn(signature: FoundSignature, language: string): Signature {
  return { ...signature, detail: signature.detail.in(language) }
}

export function storeSignature(signature: FoundSignature): string {
  return JSON.stringify({ ...signature, detail: signature.detail.pack() })
}

/** The reverse of `storeSignature`; rows written before sentences were packed hold the English text. */
export function readSignature(stored: string): FoundSignature {
  const { detail, ...found } = JSON.parse(stored) as Omit<Signature, 'detail'> & { detail: string | PackedSentence }
  return { ...found, detail: typeof detail === 'string' ? quoted(detail) : Sentence.unpack(detail) }
}
