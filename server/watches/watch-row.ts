import { z } from 'zod'
import { WatchAction, WatchCondition, WatchSource, WatchValue } from '../../contract/watch-values.ts'
import type { WatchTable } from '../db/rows/watch-tables.ts'
import { type PackedSentence, Sentence } from '../kernel/sentence.ts'

/** A watch as the code knows it. */
export interface WatchRow extends Omit<WatchTable, 'source' | 'condition' | 'action' | 'scope'> {
  readonly source: WatchSource
  readonly condition: WatchCondition
  readonly action: WatchAction
  readonly scope: readonly string[]
}

export function readWatch(row: WatchTable): WatchRow {
  return {
    ...row,
    source: WatchSource.parse(JSON.parse(row.source)),
    condition: WatchCondition.parse(JSON.parse(row.condition)),
    action: WatchAction.parse(JSON.parse(row.action)),
    scope: z.array(z.string()).parse(JSON.parse(row.scope)),
  }
}

export function readValue(value: string): WatchValue {
  return WatchValue.parse(JSON.parse(value))
}

export function packed(sentence: Sentence | null): string | null {
  return sentence === null ? null : JSON.stringify(sentence.pack())
}

export function unpacked(stored: string | null, language: string): string | null {
  return stored === null ? null : Sentence.unpack(JSON.parse(stored) as PackedSentence).in(language)
}
