import type { ReactNode } from 'react'
import type { Role, RuleResult } from '../../modules/tools/tool-rules.ts'

/** Draws the cells of a matrix row: the rule's subject, and each role's rule for it. */
export type DrawCells = (subject: string, name: string, result?: (role: Role) => RuleResult) => ReactNode
