import { useEffect, useState } from 'react'
import { CodeBlock } from '../parts/code-block.tsx'

interface MarkdownCodeProps {
  readonly code: string
  /** The word after the fence; empty when there is none. */
  readonly language: string
}

interface Coloured {
  readonly code: string
  readonly html: string
}

/** A code block of an answer. Plain at first; coloured when the highlighter's chunk is there, without changing its size. */
export function MarkdownCode({ code, language }: MarkdownCodeProps) {
  const name = /^[\w+#.-]+/.exec(language)?.[0].toLowerCase() ?? ''
  const [coloured, setColoured] = useState<Coloured | null>(null)
  useEffect(() => {
    if (name === '') return undefined
    let current = true
    const colour = async (): Promise<void> => {
      const { highlightCode } = await import('./code-highlight.ts')
      const html = highlightCode(code, name)
      if (current) setColoured(html === null ? null : { code, html })
    }
    // Without the chunk (offline) the code stays plain, and nothing is lost.
    colour().catch(() => undefined)
    return () => {
      current = false
    }
  }, [code, name])

  // While code streams in, the lines that were coloured stay so and the new end is plain until its turn.
  const rest = coloured && code.startsWith(coloured.code) ? code.slice(coloured.code.length) : null
  return (
    <CodeBlock code={code} language={name === '' ? undefined : name}>
      {coloured && rest !== null ? (
        <>
          {/* Only spans with a class: made and cleaned by code-highlight. */}
          <span dangerouslySetInnerHTML={{ __html: coloured.html }} />
          {rest}
        </>
      ) : undefined}
    </CodeBlock>
  )
}
