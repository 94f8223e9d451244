Feature: Editing files
  An edit replaces exact text and leaves every other byte as it was.

  Scenario: The first occurrence is replaced
    Given the file "edit.txt" holds "foo bar foo"
    When the agent replaces "foo" by "baz" in "edit.txt"
    Then 1 of 2 occurrences was replaced
    And "edit.txt" now holds "baz bar foo"

  Scenario: Every occurrence is replaced
    Given the file "edit.txt" holds "foo bar foo"
    When the agent replaces every "foo" by "baz" in "edit.txt"
    Then 2 of 2 occurrences were replaced
    And "edit.txt" now holds "baz bar baz"

  Scenario: Text that is not there is not found, and nothing is edited by likeness
    Given the file "edit.txt" holds "foo bar"
    When the agent replaces "notfound" by "baz" in "edit.txt"
    Then the tool refuses, and mentions "not found"
    And "edit.txt" now holds "foo bar"

  Scenario: A near miss is pointed out
    Given the file "edit.txt" holds "first\nif (ready)  {\n"
    When the agent replaces "if (ready) {" by "x" in "edit.txt"
    Then the tool refuses, and mentions "not found"
    And the hint mentions "white space"
    And the hint mentions "nearest line is 2"

  Scenario: A file is edited in the encoding it is in
    Given the file "menu.txt" holds the bytes "63 61 66 e9"
    When the agent replaces "café" by "naïve" in "menu.txt", which is "latin-1"
    Then 1 of 1 occurrence was replaced
    And "menu.txt" now holds the bytes "6e 61 ef 76 65"

  Scenario: Unless told otherwise a file is UTF-8
    Given the file "edit.txt" holds "default encoding tést"
    When the agent replaces "default" by "explicit" in "edit.txt"
    Then 1 of 1 occurrence was replaced
    And "edit.txt" now holds "explicit encoding tést"

  Scenario: Bytes that are not valid in the encoding are left alone
    Given the file "broken.txt" holds the bytes "66 6f 6f ff"
    When the agent replaces "foo" by "bar" in "broken.txt"
    Then the tool refuses with "ENCODING_INVALID"
    And "broken.txt" now holds the bytes "66 6f 6f ff"

  Scenario: Line endings, also mixed ones, and the byte order mark stay
    Given the file "mixed.txt" holds the bytes "ef bb bf 61 0d 0a 62 0a 63 0d 64"
    When the agent replaces "b" by "B" in "mixed.txt"
    Then "mixed.txt" now holds the bytes "ef bb bf 61 0d 0a 42 0a 63 0d 64"

  Scenario: Line feeds match the line endings of the place, and so is the replacement written
    Given the file "dos.txt" holds "one\r\ntwo\r\nthree\r\n"
    When the agent replaces "one\ntwo" by "1\n2" in "dos.txt"
    Then "dos.txt" now holds "1\r\n2\r\nthree\r\n"

  Scenario: The replacement is literal
    Given the file "price.txt" holds "price"
    When the agent replaces "price" by "$& $1 $$" in "price.txt"
    Then "price.txt" now holds "$& $1 $$"

  Scenario: Nothing cannot be replaced
    Given the file "edit.txt" holds "foo"
    When the agent replaces "" by "x" in "edit.txt"
    Then the tool refuses with "INPUT_INVALID"

  Scenario: A link stays a link, and its target is edited
    Given the file "real.txt" holds "old"
    And the link "link.txt" leads to "real.txt"
    When the agent replaces "old" by "new" in "link.txt"
    Then "real.txt" now holds "new"
    And "link.txt" now holds "real.txt"
