// The colours of code, as classes: an editor's own and the still ones of
// CodeView are the same. What they look like says code.css.

import { tagHighlighter, tags as t } from "@lezer/highlight"
import "./code.css"

export const codeStyle = tagHighlighter([
  { tag: [t.keyword, t.modifier, t.operatorKeyword, t.controlKeyword, t.definitionKeyword, t.moduleKeyword, t.self], class: "tok-keyword" },
  { tag: [t.string, t.special(t.string), t.regexp, t.character, t.attributeValue], class: "tok-string" },
  { tag: [t.number, t.bool, t.null, t.atom, t.unit, t.color], class: "tok-number" },
  { tag: [t.comment, t.lineComment, t.blockComment, t.docComment], class: "tok-comment" },
  { tag: [t.function(t.variableName), t.function(t.propertyName), t.macroName], class: "tok-function" },
  { tag: [t.typeName, t.className, t.namespace, t.tagName], class: "tok-type" },
  { tag: [t.propertyName, t.attributeName, t.labelName], class: "tok-property" },
  { tag: [t.meta, t.annotation, t.escape], class: "tok-meta" },
  { tag: t.invalid, class: "tok-invalid" },
])
