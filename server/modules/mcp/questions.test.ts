import { expect, test } from 'vitest'
import { asksForSecret } from './questions.ts'

const asks = (name: string, field: object = {}, message = 'Tell me') =>
  asksForSecret(message, { type: 'object', properties: { [name]: { type: 'string', ...field } } })

test.each<[string, object?, string?]>([
  ['password'],
  ['apiKey'],
  ['api_key'],
  ['accessToken'],
  ['token'],
  ['PIN'],
  ['a', { title: 'Passwort' }],
  ['a', { description: 'Your secret key for the service' }],
  ['a', { format: 'password' }],
  ['a', { writeOnly: true }],
  ['a', {}, 'Please enter your passphrase'],
])('%s %j %j is a secret', (name, field, message) => expect(asks(name, field, message)).toBe(true))

test.each<[string, object?]>([
  ['name', { description: 'Not your pin, please' }],
  ['max_tokens'],
  ['spinner'],
  ['key', { title: 'Key of the song' }],
])('%s %j is none', (name, field) => expect(asks(name, field)).toBe(false))

test('a form without fields asks for nothing', () => expect(asksForSecret('Go on?', {})).toBe(false))
