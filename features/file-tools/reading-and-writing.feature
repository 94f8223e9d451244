Feature: Reading, writing and deleting files
  An agent works on the files of its sandbox through tools that answer in plain facts.

  Scenario: A text file is read whole
    Given the file "hello.txt" holds "Hello, World!"
    When the agent reads "hello.txt"
    Then the agent gets "Hello, World!"
    And the text is "utf-8" of 13 bytes

  Scenario: Some lines of a file are read
    Given the file "lines.txt" holds "line1\nline2\nline3\nline4\nline5"
    When the agent reads 2 lines of "lines.txt" from line 2 on
    Then the agent gets "line2\nline3\n"
    And the next lines begin at offset 3 of 5

  Scenario: Bytes that are no text are read as base64
    Given the file "image.png" holds the bytes "89 50 4e 47 00 ff"
    When the agent reads "image.png"
    Then the tool refuses with "FILE_IS_BINARY"
    And the hint mentions "base64"
    When the agent reads "image.png" as "base64"
    Then the agent gets "iVBORwD/"

  Scenario: A file that is not there is not found
    When the agent reads "missing.txt"
    Then the tool refuses, and mentions "not found"

  Scenario: A new file is written
    When the agent writes "created" to "new.txt"
    Then a file of 7 bytes was made
    And "new.txt" now holds "created"

  Scenario: A file is overwritten
    Given the file "existing.txt" holds "old content"
    When the agent writes "new content" to "existing.txt"
    Then a file was replaced
    And "existing.txt" now holds "new content"

  Scenario: Directories are made on the way
    When the agent writes "nested" to "sub/dir/file.txt"
    Then a file of 6 bytes was made
    And "sub/dir/file.txt" now holds "nested"

  Scenario: Permissions stay, but nobody gains another's rights
    Given the file "run.sh" has mode "4755"
    When the agent writes "new" to "run.sh"
    Then "run.sh" now has mode "755"

  Scenario: A file is deleted
    Given the file "delete-me.txt" holds "doomed"
    When the agent deletes "delete-me.txt"
    Then there was a file to delete
    And there is no "delete-me.txt"

  Scenario: Deleting what is not there is no failure
    When the agent deletes "ghost.txt"
    Then there was nothing to delete

  Scenario: A directory is not deleted
    Given the file "folder/file.txt" holds "x"
    When the agent deletes "folder"
    Then the tool refuses with "NOT_A_REGULAR_FILE"
    And "folder/file.txt" now holds "x"
