import { expect, test } from 'vitest'
import { htmlText } from './html-text.ts'

const read = (html: string) => htmlText(html, new URL('https://example.org/a/'))

test.each([
  ['<p>a<p>b<ul><li>x<li>y</ul>z<br>w<hr>q', 'a\n\nb\n\n- x\n- y\n\nz\nw\n---\nq'],
  ['<table><tr><th>A<th>B<tr><td>1<td>2</table>', 'A | B\n1 | 2'],
  ['<pre>a\n  b</pre>c', 'a\n  b\n\nc'],
  ['a &lt; b < c &hellip; d&shy;e &#x41;', 'a < b < c … de A'],
  [
    '<img alt="cat" src=x><a href="b?x=1&amp;y=2">on</a> <a href="#x">in</a><a href=javascript:x>j</a>',
    '[picture: cat][on](https://example.org/a/b?x=1&y=2) inj',
  ],
  ['<p title="a>b">t<!-- <p>no --></div>u', 't\nu'],
  ['<svg><title>no</title></svg><select><option>a</select><noscript>b</noscript><script>"</p>"</script>c', 'c'],
  ['seen<template><p>never closed', 'seen'],
])('the page %j reads as %j', (html, text) => expect(read(html).text).toBe(text))

test('a page has the first of its titles', () => {
  expect(read('<svg><title>no</title></svg><title>\n A &amp; <b>\n</title><title>c</title>').title).toBe('A & <b>')
})

test('no page is too deep or too broken to be read to its end', () => {
  for (const piece of ['<b>', '</i>', '<ul><li>', '<', '&', '<a href="', '<!--', '<![CDATA[', '<title>'])
    expect(read(`begin${piece.repeat(100_000)}`).text).toMatch(/^begin/)
  expect(read(`${'<b>'.repeat(100_000)}end`).text).toBe('end')
})
