import type { ReactNode } from 'react'
import type { Role, RuleResult } from '../../modules/tool-rules.ts'

/** Draws the cells of a row of the matrix: what the row is about, and what holds for a role. */
export type DrawCells = (subject: string, name: string, result?: (rules: Role['rules']) => RuleResult) => ReactNode
