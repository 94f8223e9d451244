Feature: Staying inside the sandbox
  Whatever path an agent gives, nothing outside its sandbox is read or changed.

  Scenario: A read cannot climb out
    Given "secret.txt" beside the sandbox holds "secret"
    When the agent reads "../secret.txt"
    Then the tool refuses, and mentions "traversal"
    When the agent reads "../../etc/passwd"
    Then the tool refuses, and mentions "traversal"

  Scenario: A write cannot climb out
    Given "escape.txt" beside the sandbox holds "original"
    When the agent writes "evil" to "../escape.txt"
    Then the tool refuses, and mentions "traversal"
    And "escape.txt" beside the sandbox still holds "original"

  Scenario: A deletion cannot climb out
    Given "secret.txt" beside the sandbox holds "secret"
    When the agent deletes "../secret.txt"
    Then the tool refuses, and mentions "traversal"
    And "secret.txt" beside the sandbox still holds "secret"

  Scenario: A neighbour whose name begins alike is outside
    Given "sandbox-evil/secret.txt" beside the sandbox holds "secret"
    And "sand/secret.txt" beside the sandbox holds "secret"
    When the agent reads "../sandbox-evil/secret.txt"
    Then the tool refuses, and mentions "traversal"
    When the agent reads "sandbox-evil/secret.txt" of the directory beside
    Then the tool refuses, and mentions "traversal"
    When the agent reads "sand/secret.txt" of the directory beside
    Then the tool refuses, and mentions "traversal"

  Scenario: A link does not lead out
    Given "secret.txt" beside the sandbox holds "secret"
    And the link "door" leads to "../secret.txt"
    When the agent reads "door"
    Then the tool refuses, and mentions "traversal"
    When the agent writes "evil" to "door"
    Then the tool refuses, and mentions "traversal"
    When the agent replaces "secret" by "evil" in "door"
    Then the tool refuses, and mentions "traversal"
    When the agent deletes "door"
    Then there was a file to delete
    And "secret.txt" beside the sandbox still holds "secret"

  Scenario: A search does not follow links
    Given "outside/secret.txt" beside the sandbox holds "needle"
    And the link "door" leads to "../outside"
    When the agent searches "." for "needle"
    Then the matches are ""
    When the agent searches "door" for "needle"
    Then the tool refuses, and mentions "traversal"

  Scenario: A pattern does not lead out
    When the agent lists the files "../*" in "."
    Then the tool refuses, and mentions "traversal"

  Scenario: Git's own files are read, never written
    Given the file ".git/config" holds "original"
    When the agent writes "evil" to ".git/hooks/post-checkout"
    Then the tool refuses with "PATH_PROTECTED"
    When the agent deletes ".GIT/config"
    Then the tool refuses with "PATH_PROTECTED"
    When the agent reads ".git/config"
    Then the agent gets "original"
