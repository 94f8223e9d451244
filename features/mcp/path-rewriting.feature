@mcp
Feature: Each side of an MCP connection reads its own paths
  An agent on the host and a tool in the sandbox see the same files under different names. Between them, every path is given
  the name that its reader knows, and nothing else is changed.

  Background:
    Given the agent knows the project as "/home/user/project" and the tool knows it as "/workspace"

  Rule: What the agent asks for reaches the tool in the sandbox's names

    Scenario: A file of the project
      When the agent calls the tool with "file_path" set to "/home/user/project/src/main.py"
      Then the tool gets "file_path" set to "/workspace/src/main.py"

    Scenario: A file that lies elsewhere
      When the agent calls the tool with "file_path" set to "/other/location/file.py"
      Then the tool gets "file_path" set to "/other/location/file.py"

    Scenario: Words that are no path
      When the agent calls the tool with "title" set to "My Document"
      Then the tool gets "title" set to "My Document"

    Scenario: A path deep inside the arguments
      When the agent calls the tool with "config.source" set to "/home/user/project/cfg.yaml"
      Then the tool gets "config.source" set to "/workspace/cfg.yaml"

    Scenario: A list of paths
      When the agent calls the tool with "files" listing "/home/user/project/a.py" and "/home/user/project/b.py"
      Then the tool gets "files" listing "/workspace/a.py" and "/workspace/b.py"

    Scenario: The project itself
      When the agent calls the tool with "dir" set to "/home/user/project"
      Then the tool gets "dir" set to "/workspace"

    Scenario: A sibling with a longer name
      When the agent calls the tool with "dir" set to "/home/user/project-old"
      Then the tool gets "dir" set to "/home/user/project-old"

    Scenario: What is written into a file is the author's own text
      When the agent calls the tool with "content" set to "/home/user/project/src/main.py"
      Then the tool gets "content" set to "/home/user/project/src/main.py"

    Scenario: A path that leaves the project
      When the agent calls the tool with "file_path" set to "/home/user/project/../secret"
      Then the tool gets "file_path" set to "/home/user/project/../secret"

    Scenario: A URI
      When the agent calls the tool with "uri" set to "file:///home/user/project/my%20file.txt#L3"
      Then the tool gets "uri" set to "file:///workspace/my%20file.txt#L3"

  Rule: What the tool answers reaches the agent in the host's names

    Scenario: A file of the project in an answer
      When the tool answers with "output_file" set to "/workspace/build/out.txt"
      Then the agent gets "output_file" set to "/home/user/project/build/out.txt"

    Scenario: A file in an answer that lies elsewhere
      When the tool answers with "output_file" set to "/tmp/other.txt"
      Then the agent gets "output_file" set to "/tmp/other.txt"

    Scenario: A path deep inside an answer
      When the tool answers with "result.path" set to "/workspace/dist/app.js"
      Then the agent gets "result.path" set to "/home/user/project/dist/app.js"

    Scenario: A path in the middle of a sentence
      When the tool answers with "message" set to "Wrote /workspace/a.txt, see https://example.com/workspace"
      Then the agent gets "message" set to "Wrote /home/user/project/a.txt, see https://example.com/workspace"

  Rule: What comes back is what was sent

    Scenario: There and back again
      When the agent calls the tool with "file" set to "/home/user/project/src/main.py"
      And the tool answers with what it got
      Then the agent gets "file" set to "/home/user/project/src/main.py"
