import { memo, useId, useRef } from 'react'
import type { Token, Tokens } from 'marked'
import type { Footnote } from './markdown-lexer.ts'
import { healTable, healTail, type MarkdownBlocks, noBlocks, readBlocks } from './markdown-blocks.ts'
import { FootnoteScope } from './markdown-footnotes.tsx'
import { TableTitle } from './markdown-table.tsx'
import { renderTokens } from './markdown-tokens.tsx'
import { inlineText } from './plain-text.ts'
import './markdown.css'

interface MarkdownProps {
  readonly source: string
  /** The text is still growing: only its last block is parsed and rendered again. */
  readonly streaming?: boolean
  /** It is an answer: its tables have the tools of a grid. */
  readonly answer?: boolean
}

/** Markdown of an answer, rendered block by block so that a growing text neither flickers nor jumps. */
export function Markdown({ source, streaming = false, answer = false }: MarkdownProps) {
  const memory = useRef<MarkdownBlocks>(noBlocks)
  const text = source.replaceAll(/\r\n?/g, '\n')
  const read = readBlocks(text, streaming ? memory.current : noBlocks)
  memory.current = read
  const last = read.blocks.length - 1
  const linked = !streaming && read.blocks.some((block) => block.type === 'def')
  const id = useId()
  const labels = read.blocks.flatMap((block) => (block.type === 'footnote' ? [(block as Footnote).label] : []))
  const headings = answer ? headingsAbove(read.blocks) : []
  return (
    <FootnoteScope value={[id, ...labels].join(' ')}>
      <div className="markdown">
        {read.blocks.map((block, index) => (
          <MarkdownBlock
            key={index}
            block={block}
            raw={streaming && index === last ? healed(block) : block.raw}
            linked={linked}
            title={answer ? (headings[index] ?? '') : null}
          />
        ))}
      </div>
    </FootnoteScope>
  )
}

/** For each block the words of the nearest heading above it; empty when there is none. */
function headingsAbove(blocks: readonly Token[]): readonly string[] {
  let heading = ''
  return blocks.map((block) => {
    const above = heading
    if (block.type === 'heading') heading = inlineText((block as Tokens.Heading).tokens).trim()
    return above
  })
}

function healed(block: Token): string {
  if (block.type === 'code') return block.raw
  return (block.type === 'paragraph' ? healTable(block.raw) : null) ?? healTail(block.raw)
}

interface MarkdownBlockProps {
  readonly block: Token
  /** Source of the block; differs from the block's own when its end had to be closed. */
  readonly raw: string
  /** Link definitions are now known: blocks that refer to them render differently with the same source. */
  readonly linked: boolean
  /** Of the tables in it; null where they have no tools. */
  readonly title: string | null
}

const MarkdownBlock = memo(
  function MarkdownBlock({ block, raw, title }: MarkdownBlockProps) {
    return <TableTitle value={title}>{renderTokens(raw === block.raw ? [block] : readBlocks(raw).blocks)}</TableTitle>
  },
  (before, after) =>
    before.raw === after.raw &&
    before.block.type === after.block.type &&
    before.linked === after.linked &&
    before.title === after.title,
)
