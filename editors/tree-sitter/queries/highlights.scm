(comment) @comment
(string) @string
(number) @number
(constant) @constant.builtin
(keyword) @keyword
(citations "cite" @keyword)
(citation) @attribute
(type) @type
(call name: (identifier) @function)
(operator) @operator
["{" "}" "(" ")" "[" "]"] @punctuation.bracket
