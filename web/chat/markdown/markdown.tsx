import { memo, useRef } from 'react'
import type { Token } from 'marked'
import { healTail, type MarkdownBlocks, noBlocks, readBlocks } from './markdown-blocks.ts'
import { renderTokens } from './markdown-tokens.tsx'
import './markdown.css'

interface MarkdownProps {
  readonly source: string
  /** The text is still growing: only its last block is parsed and rendered again. */
  readonly streaming?: boolean
}

/** Markdown of an answer, rendered block by block so that a growing text neither flickers nor jumps. */
export function Markdown({ source, streaming = false }: MarkdownProps) {
  const memory = useRef<MarkdownBlocks>(noBlocks)
  const text = source.replaceAll(/\r\n?/g, '\n')
  const read = readBlocks(text, streaming ? memory.current : noBlocks)
  memory.current = read
  const last = read.blocks.length - 1
  const linked = !streaming && read.blocks.some((block) => block.type === 'def')
  return (
    <div className="markdown">
      {read.blocks.map((block, index) => (
        <MarkdownBlock
          key={index}
          block={block}
          raw={streaming && index === last ? healed(block) : block.raw}
          linked={linked}
        />
      ))}
    </div>
  )
}

function healed(block: Token): string {
  return block.type === 'code' ? block.raw : healTail(block.raw)
}

interface MarkdownBlockProps {
  readonly block: Token
  /** Source of the block; differs from the block's own when its end had to be closed. */
  readonly raw: string
  /** Link definitions are now known: blocks that refer to them render differently with the same source. */
  readonly linked: boolean
}

const MarkdownBlock = memo(
  function MarkdownBlock({ block, raw }: MarkdownBlockProps) {
    return <>{renderTokens(raw === block.raw ? [block] : readBlocks(raw).blocks)}</>
  },
  (before, after) =>
    before.raw === after.raw && before.block.type === after.block.type && before.linked === after.linked,
)
