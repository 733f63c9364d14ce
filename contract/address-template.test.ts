import { describe, expect, test } from 'vitest'
import { addressTemplate } from './address-template.ts'

/** The values and examples of RFC 6570, section 3.2, as far as values are texts. */
const VALUES = {
  var: 'value',
  who: 'fred',
  hello: 'Hello World!',
  half: '50%',
  base: 'http://example.com/home/',
  path: '/foo/bar',
  x: '1024',
  y: '768',
  empty: '',
  v: '6',
}
const EXAMPLES: Record<string, string> = {
  '{var}': 'value',
  '{hello}': 'Hello%20World%21',
  '{half}': '50%25',
  'O{empty}X': 'OX',
  'O{undef}X': 'OX',
  '{x,y}': '1024,768',
  '{x,hello,y}': '1024,Hello%20World%21,768',
  '?{x,empty}': '?1024,',
  '?{x,undef}': '?1024',
  '?{undef,y}': '?768',
  '{var:3}': 'val',
  '{var:30}': 'value',
  '{+var}': 'value',
  '{+hello}': 'Hello%20World!',
  '{+half}': '50%25',
  '{base}index': 'http%3A%2F%2Fexample.com%2Fhome%2Findex',
  '{+base}index': 'http://example.com/home/index',
  '{+path}/here': '/foo/bar/here',
  '{+path,x}/here': '/foo/bar,1024/here',
  '{+path:6}/here': '/foo/b/here',
  '{#hello}': '#Hello%20World!',
  '{#path,x}/here': '#/foo/bar,1024/here',
  'foo{#empty}': 'foo#',
  'foo{#undef}': 'foo',
  '{.who,half}': '.fred.50%25',
  'X{.var:3}': 'X.val',
  'X{.empty}': 'X.',
  '{/who,half}': '/fred/50%25',
  '{/var,empty}': '/value/',
  '{/var:1,var}': '/v/value',
  '{;x,y,empty}': ';x=1024;y=768;empty',
  '{;v,undef,who}': ';v=6;who=fred',
  '{;hello:5}': ';hello=Hello',
  '{?x,y,empty}': '?x=1024&y=768&empty=',
  '{?x,y,undef}': '?x=1024&y=768',
  '?fixed=yes{&x}': '?fixed=yes&x=1024',
  '{&var:3}': '&var=val',
}

describe('templates of addresses', () => {
  test.each(Object.entries(EXAMPLES))('%s', (template, address) => {
    expect(addressTemplate(template)?.expand(VALUES)).toBe(address)
  })

  test('name what is to be filled in, once, with names as servers write them', () => {
    expect(addressTemplate('log://{host}/{day}{?host,file-id}')?.names).toEqual(['host', 'day', 'file-id'])
    expect(addressTemplate('log://{ host , day* }')?.names).toEqual(['host', 'day'])
  })

  test('keep what is encoded, encode the rest of every script and half of a character', () => {
    const template = addressTemplate('wiki://ä%20/{+page}/{part}')
    expect(template?.expand({ page: 'a%2Fb c%', part: '../é/\ud800' })).toBe(
      'wiki://%C3%A4%20/a%2Fb%20c%25/..%2F%C3%A9%2F%EF%BF%BD',
    )
  })

  test('fill in own values only', () => {
    expect(addressTemplate('x:{constructor}')?.expand({})).toBe('x:')
  })

  test.each(['log://none', 'log://{', 'log://}', 'log://{}', 'log://{a', '{a}}', '{=a}', '{a:0}', '{a b}', '{a,,b}'])(
    'are none: %s',
    (text) => {
      expect(addressTemplate(text)).toBeNull()
    },
  )
})
