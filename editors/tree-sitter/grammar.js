// The shape of rule files: declarations, blocks, calls, words. `keywords.json` is made from the words of the language.

const keywords = require("./keywords.json");
const constants = ["true", "false", "none"];

module.exports = grammar({
  name: "law",
  word: ($) => $.identifier,
  extras: ($) => [/\s/, $.comment],
  // A declaration begins where something stands at the left margin.
  externals: ($) => [$._margin, $._never],
  rules: {
    file: ($) => repeat($.declaration),
    declaration: ($) => seq($._margin, repeat1($._item)),
    _item: ($) =>
      choice(
        $.block, $.parentheses, $.brackets, $.call, $.citations, $.keyword, $.constant, $.identifier, $.type, $.string,
        $.number, $.operator,
      ),
    block: ($) => seq("{", repeat($._item), "}"),
    parentheses: ($) => seq("(", repeat($._item), ")"),
    brackets: ($) => seq("[", repeat($._item), "]"),
    call: ($) => seq(field("name", $.identifier), field("arguments", alias($._immediate, $.parentheses))),
    _immediate: ($) => seq(token.immediate("("), repeat($._item), ")"),
    citations: ($) => prec.right(seq("cite", $.citation, repeat(seq(",", $.citation)))),
    citation: () => /[A-Za-z0-9_]+(\.[A-Za-z0-9_]+)*/,
    keyword: () => choice(...keywords.filter((word) => word !== "cite" && !constants.includes(word))),
    constant: () => choice(...constants),
    identifier: () => /[a-z][A-Za-z0-9_]*/,
    type: () => /[A-Z][A-Za-z0-9_]*/,
    string: () => /"([^"\\\n]|\\["\\n])*"/,
    number: () => /[0-9][A-Za-z0-9_]*/,
    operator: () =>
      choice(",", ":", "=", "->", "..", ".", "?", "-", "+", "*", "/", "==", "!=", "<=", "<", ">=", ">", ":=", "+=", "-="),
    comment: () => token(seq("//", /[^\n]*/)),
  },
});
