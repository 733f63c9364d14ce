import { useEffect, useState } from 'react'
import { CodeBlock } from '../../parts/layout/code-block.tsx'

interface MarkdownCodeProps {
  readonly code: string
  /** The word after the opening fence; empty when there is none. */
  readonly language: string
}

interface Coloured {
  readonly code: string
  readonly html: string
}

/**
 * A code block in an answer. Plain at first; highlighted once the highlighter's chunk has loaded, without changing its
 * size.
 */
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
    // Without the chunk (offline) the code stays plain.
    colour().catch(() => undefined)
    return () => {
      current = false
    }
  }, [code, name])

  // While code streams in, highlighted lines stay highlighted and the new end is plain until its turn.
  const rest = coloured && code.startsWith(coloured.code) ? code.slice(coloured.code.length) : null
  return (
    <CodeBlock code={code} language={name === '' ? undefined : name}>
      {coloured && rest !== null ? (
        <>
          {/* Contains only spans with a class: generated and sanitised by code-highlight. */}
          <span dangerouslySetInnerHTML={{ __html: coloured.html }} />
          {rest}
        </>
      ) : undefined}
    </CodeBlock>
  )
}
