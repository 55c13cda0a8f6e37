/** What a terminal takes for orders, what breaks a line, what turns the writing direction, and halves of characters. */
const UNSAFE = '\\p{Cc}\\p{Cs}\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069'
const ANY_UNSAFE = new RegExp(`[${UNSAFE}]`, 'u')
const ALL_UNSAFE = new RegExp(`[${UNSAFE}]+`, 'gu')

/** Whether it can be shown anywhere as it is. */
export function isPlainText(text: string): boolean {
  return !ANY_UNSAFE.test(text)
}

/** The same words, fit to be shown anywhere. */
export function plainText(text: string): string {
  return text.replace(ALL_UNSAFE, ' ')
}
